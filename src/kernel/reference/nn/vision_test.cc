#include <cmath>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(NonMaxSuppressionTest, DropsOverlapsAndHonoursLimits) {
  const std::vector<float> boxes = {0, 0, 1, 1, 0, 0, 1, 0.9f, 5, 5, 6, 6};
  OpCase("NonMaxSuppression", 11)
      .In<float>({1, 3, 4}, boxes)
      .In<float>({1, 1, 3}, {0.5, 0.9, 0.1})
      .In<int64_t>({1}, {10})
      .In<float>({1}, {0.5})
      .Expect<int64_t>({2, 3}, {0, 0, 1, 0, 0, 2})
      .Run();
  OpCase("NonMaxSuppression", 11)
      .In<float>({1, 3, 4}, boxes)
      .In<float>({1, 1, 3}, {0.5, 0.9, 0.1})
      .In<int64_t>({1}, {10})
      .In<float>({1}, {0.5})
      .In<float>({1}, {0.3})
      .Expect<int64_t>({1, 3}, {0, 0, 1})
      .Run();
  OpCase("NonMaxSuppression", 10)
      .In<float>({1, 3, 4}, boxes)
      .In<float>({1, 1, 3}, {0.5, 0.9, 0.1})
      .Expect<int64_t>({0, 3}, {})
      .Run();
}

TEST(DepthToSpaceTest, OrdersOfDepth) {
  OpCase("DepthToSpace", 13)
      .In<int8_t>({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7})
      .Attr("blocksize", 2)
      .Expect<int8_t>({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7})
      .Run();
  OpCase("DepthToSpace", 11)
      .In<float>({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7})
      .Attr("blocksize", 2)
      .Attr("mode", "CRD")
      .Expect<float>({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7})
      .Run();
  OpCase("SpaceToDepth", 1)
      .In<float>({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7})
      .Attr("blocksize", 2)
      .Expect<float>({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7})
      .Run();
}

TEST(GridSampleTest, PaddingModes) {
  const std::pair<const char*, float> cases[] = {{"zeros", 0}, {"border", 2}, {"reflection", 1}};
  for (const auto& [padding, expected] : cases) {
    OpCase("GridSample", 20)
        .In<float>({1, 1, 1, 2}, {1, 2})
        .In<float>({1, 1, 1, 2}, {3, 0})
        .Attr("mode", "nearest")
        .Attr("padding_mode", padding)
        .Attr("align_corners", 1)
        .Expect<float>({1, 1, 1, 1}, {expected})
        .Run();
  }
  OpCase("GridSample", 16)
      .In<float>({1, 1, 1, 2}, {1, 2})
      .In<float>({1, 1, 1, 2}, {0, 0})
      .Attr("mode", "bilinear")
      .Expect<float>({1, 1, 1, 1}, {1.5})
      .Run();
}

TEST(AffineGridTest, IdentityGivesPixelCentres) {
  OpCase("AffineGrid", 20)
      .In<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0})
      .In<int64_t>({4}, {1, 1, 1, 2})
      .Expect<float>({1, 1, 2, 2}, {-0.5, 0, 0.5, 0})
      .Run();
}

TEST(Col2ImTest, AddsOverlappingBlocks) {
  OpCase("Col2Im", 18)
      .In<float>({1, 2, 2}, {1, 2, 3, 4})
      .In<int64_t>({1}, {3})
      .In<int64_t>({1}, {2})
      .Expect<float>({1, 1, 3}, {1, 5, 4})
      .Run();
}

TEST(DeformConvTest, OffsetsMoveTheTapsAndMasksScaleThem) {
  OpCase("DeformConv", 19)
      .In<float>({1, 1, 1, 3}, {1, 2, 4})
      .In<float>({1, 1, 1, 1}, {10})
      .In<float>({1, 2, 1, 3}, {0, 0, 0, 0.5, 1, 5})
      .In<float>({1}, {1})
      .In<float>({1, 1, 1, 3}, {1, 0.5, 1})
      .Expect<float>({1, 1, 1, 3}, {16, 21, 1})
      .Run();
}

TEST(LossTest, IgnoresAndWeighs) {
  OpCase("NegativeLogLikelihoodLoss", 13)
      .In<float>({3, 2}, {-1, -2, -3, -4, -5, -6})
      .In<int64_t>({3}, {0, 1, -1})
      .In<float>({2}, {1, 3})
      .Attr("ignore_index", -1)
      .Expect<float>({}, {(1.0 + 12.0) / 4})
      .Run();
  OpCase("NegativeLogLikelihoodLoss", 13)
      .In<float>({1, 2}, {-1, -2})
      .In<int64_t>({1}, {2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "label 2");
  OpCase("SoftmaxCrossEntropyLoss", 13)
      .In<float>({1, 2}, {0, 0})
      .In<int32_t>({1}, {1})
      .Attr("reduction", "none")
      .Expect<float>({1}, {std::log(2.0f)})
      .Expect<float>({1, 2}, {-std::log(2.0f), -std::log(2.0f)})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
