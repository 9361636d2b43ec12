#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(BatchNormalizationTest, ScalesEachChannel) {
  OpCase("BatchNormalization", 9)
      .In<float>({1, 2, 2}, {1, 3, 10, 20})
      .In<float>({2}, {1, 2})
      .In<float>({2}, {0, 1})
      .In<float>({2}, {2, 10})
      .In<float>({2}, {1, 4})
      .Attr("epsilon", 0.0f)
      .Expect<float>({1, 2, 2}, {-1, 1, 1, 11})
      .Run();
}

TEST(BatchNormalizationTest, TrainingUpdatesRunningStatistics) {
  OpCase("BatchNormalization", 15)
      .In<float>({2, 1}, {1, 3})
      .In<float>({1}, {1})
      .In<float>({1}, {0})
      .In<float>({1}, {10})
      .In<float>({1}, {20})
      .Attr("training_mode", 1)
      .Attr("momentum", 0.5f)
      .Attr("epsilon", 0.0f)
      .Expect<float>({2, 1}, {-1, 1})
      .Expect<float>({1}, {6})
      .Expect<float>({1}, {10.5})
      .Run();
}

// Version 6 and before: is_test = 0, the default, is training.
TEST(BatchNormalizationTest, OldVersionsOnlyAtInference) {
  const auto norm = [](OpCase& c) -> OpCase& {
    return c.In<float>({1, 1, 2}, {1, 3})
        .In<float>({1}, {1})
        .In<float>({1}, {0})
        .In<float>({1}, {2})
        .In<float>({1}, {1})
        .Attr("epsilon", 0.0f);
  };
  OpCase inference("BatchNormalization", 6);
  norm(inference).Attr("is_test", 1).Expect<float>({1, 1, 2}, {-1, 1}).Run();
  OpCase training("BatchNormalization", 6);
  norm(training).Attr("is_test", 0).Out(DType::kF32).Fails(Code::kNotImplemented, "is_test is 0");
}

TEST(LayerNormalizationTest, NormalizesTheLastAxesAndGivesStatistics) {
  OpCase("LayerNormalization", 17)
      .In<float>({2, 2}, {1, 3, 5, 5})
      .In<float>({2}, {1, 2})
      .In<float>({2}, {0, 1})
      .Attr("epsilon", 1.0f)
      .Expect<float>({2, 2}, {-0.70710678, 2.41421356, 0, 1})
      .Expect<float>({2, 1}, {2, 5})
      .Expect<float>({2, 1}, {0.70710678, 1})
      .Run();
}

TEST(RmsNormalizationTest, DividesByTheRootMeanSquare) {
  for (const auto& [op, version] :
       {std::pair("RMSNormalization", 23), {"SimplifiedLayerNormalization", 1}}) {
    OpCase(op, version)
        .In<Half>({1, 2}, {3, 4})
        .In<Half>({2}, {1, 2})
        .Attr("epsilon", 0.0f)
        .Expect<Half>({1, 2}, {0.8485, 2.2627})
        .Near(1e-3)
        .Run();
  }
}

TEST(GroupNormalizationTest, ParametersArePerGroupThenPerChannel) {
  OpCase("GroupNormalization", 18)
      .In<float>({1, 2, 2}, {1, 3, 1, 3})
      .In<float>({1}, {2})
      .In<float>({1}, {1})
      .Attr("num_groups", 1)
      .Attr("epsilon", 0.0f)
      .Expect<float>({1, 2, 2}, {-1, 3, -1, 3})
      .Run();
  OpCase("GroupNormalization", 21)
      .In<float>({1, 2, 2}, {1, 3, 1, 3})
      .In<float>({2}, {2, 0})
      .In<float>({2}, {1, 7})
      .Attr("num_groups", 1)
      .Attr("epsilon", 0.0f)
      .Expect<float>({1, 2, 2}, {-1, 3, 7, 7})
      .Run();
}

TEST(InstanceNormalizationTest, NormalizesEachChannelOfEachSample) {
  OpCase("InstanceNormalization", 6)
      .In<float>({1, 2, 2}, {1, 3, 10, 30})
      .In<float>({2}, {1, 2})
      .In<float>({2}, {0, 5})
      .Attr("epsilon", 0.0f)
      .Expect<float>({1, 2, 2}, {-1, 1, 3, 7})
      .Run();
}

TEST(MeanVarianceNormalizationTest, AxesMayBeAnyMix) {
  OpCase("MeanVarianceNormalization", 13)
      .In<float>({2, 2}, {1, 10, 3, 30})
      .Ints("axes", {-2})
      .Expect<float>({2, 2}, {-1, -1, 1, 1})
      .Run();
}

TEST(LrnTest, SumsSquaresOfNeighbourChannels) {
  OpCase("LRN", 13)
      .In<float>({1, 3, 1}, {1, 2, 3})
      .Attr("size", 2)
      .Attr("alpha", 2.0f)
      .Attr("beta", 1.0f)
      .Expect<float>({1, 3, 1}, {1.0 / 6, 2.0 / 14, 3.0 / 10})
      .Run();
}

TEST(LpNormalizationTest, ZeroRowsStayZero) {
  OpCase("LpNormalization", 1)
      .In<float>({2, 2}, {3, 4, 0, 0})
      .Expect<float>({2, 2}, {0.6, 0.8, 0, 0})
      .Run();
  OpCase("LpNormalization", 22)
      .In<float>({2, 1}, {1, -3})
      .Attr("axis", 0)
      .Attr("p", 1)
      .Expect<float>({2, 1}, {0.25, -0.75})
      .Run();
}

TEST(DropoutTest, PassesDataOnOutsideTraining) {
  OpCase("Dropout", 7).In<float>({2}, {1, 2}).Expect<float>({2}, {1, 2}).Run();
  OpCase("Dropout", 13)
      .In<float>({2}, {1, 2})
      .Expect<float>({2}, {1, 2})
      .Expect<bool>({2}, {true, true})
      .Run();
}

TEST(DropoutTest, OldVersionsOnlyAtInference) {
  for (const int version : {1, 6}) {
    OpCase("Dropout", version)
        .In<float>({2}, {1, 2})
        .Attr("is_test", 1)
        .Expect<float>({2}, {1, 2})
        .Run();
    OpCase("Dropout", version)
        .In<float>({2}, {1, 2})
        .Attr("is_test", 0)
        .Out(DType::kF32)
        .Fails(Code::kNotImplemented, "is_test is 0");
  }
}

TEST(DropoutTest, TrainingScalesWhatItKeeps) {
  const auto out = OpCase("Dropout", 13)
                       .In<float>({4}, {1, 1, 1, 1})
                       .In<float>({}, {0.5})
                       .In<bool>({}, {true})
                       .Attr("seed", 3)
                       .Out(DType::kF32)
                       .Out(DType::kBool)
                       .Outputs();
  ASSERT_EQ(out.size(), 2u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(out[0].tensor()->span<float>()[i], out[1].tensor()->span<bool>()[i] ? 2.0f : 0.0f);
  }
}

TEST(NormTest, WrongAxisFails) {
  OpCase("LayerNormalization", 17)
      .In<float>({2}, {1, 2})
      .In<float>({2}, {1, 1})
      .Attr("axis", 1)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 1");
}

}  // namespace
}  // namespace waybill::kernel
