#include <gtest/gtest.h>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(Einsum, EveryKindOfLabel) {
  OpCase("Einsum", 12)
      .Attr("equation", "ij,jk->ik")
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<float>({2, 1}, {5, 6})
      .Expect<float>({2, 1}, {17, 39})
      .Run();
  OpCase("Einsum", 12)
      .Attr("equation", "ij->ji")
      .In<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Expect<int64_t>({3, 2}, {1, 4, 2, 5, 3, 6})
      .Run();
  OpCase("Einsum", 12)
      .Attr("equation", " i , i ")
      .In<float>({3}, {1, 2, 3})
      .In<float>({3}, {4, 5, 6})
      .Expect<float>({}, {32})
      .Run();
  OpCase("Einsum", 12)
      .Attr("equation", "...ii->...i")
      .In<double>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Expect<double>({2, 2}, {1, 4, 5, 8})
      .Run();
  OpCase("Einsum", 12)
      .Attr("equation", "...ij,...jk")
      .In<float>({2, 1, 2}, {1, 2, 3, 4})
      .In<float>({2, 1}, {1, 10})
      .Expect<float>({2, 1, 1}, {21, 43})
      .Run();
  OpCase("Einsum", 12)
      .Attr("equation", "a,b,c->abc")
      .In<float>({2}, {1, 2})
      .In<float>({1}, {3})
      .In<float>({2}, {4, 5})
      .Expect<float>({2, 1, 2}, {12, 15, 24, 30})
      .Run();
  OpCase("Einsum", 12)
      .Attr("equation", "ij,jk->ik")
      .In<float>({0, 2}, {})
      .In<float>({2, 1}, {5, 6})
      .Expect<float>({0, 1}, {})
      .Run();
  OpCase("Einsum", 12).Attr("equation", "i->").In<float>({0}, {}).Expect<float>({}, {0}).Run();
  OpCase("Einsum", 12)
      .Attr("equation", "ij->k")
      .In<float>({1, 1}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "output label 'k'");
  OpCase("Einsum", 12)
      .Attr("equation", "i,i->i")
      .In<float>({2}, {1, 2})
      .In<float>({3}, {1, 2, 3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "same label");
  OpCase("Einsum", 12)
      .Attr("equation", "i.j->i")
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "is wrong at position 1");
}

TEST(Det, MatricesOfAnySize) {
  OpCase("Det", 11).In<float>({2, 2}, {0, 1, 2, 3}).Expect<float>({}, {-2}).Run();
  OpCase("Det", 22)
      .In<double>({2, 3, 3}, {2, 0, 0, 0, 3, 0, 0, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9})
      .Near(1e-9, 1e-9)
      .Expect<double>({2}, {24, 0})
      .Run();
  OpCase("Det", 11).In<float>({1, 0, 0}, {}).Expect<float>({1}, {1}).Run();
  OpCase("Det", 11)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "square");
}

TEST(Window, PeriodicAndSymmetric) {
  OpCase("HannWindow", 17)
      .Attr("periodic", 1)
      .In<int32_t>({}, {4})
      .Expect<float>({4}, {0, 0.5f, 1, 0.5f})
      .Run();
  OpCase("HammingWindow", 17)
      .Attr("periodic", 0)
      .In<int64_t>({}, {3})
      .Expect<float>({3}, {4.0f / 46, 1, 4.0f / 46})
      .Run();
  OpCase("BlackmanWindow", 17)
      .Attr("periodic", 0)
      .Attr("output_datatype", 11)
      .In<int64_t>({}, {3})
      .Near(1e-9, 1e-9)
      .Expect<double>({3}, {0, 1, 0})
      .Run();
  OpCase("HannWindow", 17).Attr("periodic", 0).In<int64_t>({}, {1}).Expect<float>({1}, {1}).Run();
  OpCase("HannWindow", 17).In<int64_t>({}, {0}).Expect<float>({0}, {}).Run();
}

TEST(Dft, ForwardInverseAndOneSided) {
  OpCase("DFT", 20)
      .In<float>({1, 4, 1}, {1, 0, 0, 0})
      .Near(1e-6, 1e-6)
      .Expect<float>({1, 4, 2}, {1, 0, 1, 0, 1, 0, 1, 0})
      .Run();
  OpCase("DFT", 20)
      .In<float>({4, 2}, {0, 0, 1, 0, 0, 0, 0, 0})
      .Omit()
      .In<int64_t>({}, {0})
      .Near(1e-6, 1e-6)
      .Expect<float>({4, 2}, {1, 0, 0, -1, -1, 0, 0, 1})
      .Run();
  OpCase("DFT", 17)
      .Attr("axis", 1)
      .Attr("inverse", 1)
      .In<float>({1, 4, 2}, {1, 0, 0, -1, -1, 0, 0, 1})
      .Near(1e-6, 1e-6)
      .Expect<float>({1, 4, 2}, {0, 0, 1, 0, 0, 0, 0, 0})
      .Run();
  OpCase("DFT", 20)
      .Attr("onesided", 1)
      .In<double>({1, 3, 1}, {1, 2, 3})
      .In<int64_t>({}, {4})
      .Near(1e-9, 1e-9)
      .Expect<double>({1, 3, 2}, {6, 0, -2, -2, 2, 0})
      .Run();
  OpCase("DFT", 20)
      .Attr("onesided", 1)
      .Attr("inverse", 1)
      .In<double>({1, 3, 2}, {6, 0, -2, -2, 2, 0})
      .Near(1e-9, 1e-9)
      .Expect<double>({1, 4, 1}, {1, 2, 3, 0})
      .Run();
  OpCase("DFT", 20)
      .In<float>({1, 4, 1}, {1, 0, 0, 0})
      .Omit()
      .In<int64_t>({}, {-1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "real and imaginary");
}

TEST(Stft, FramesOfASignal) {
  OpCase("STFT", 17)
      .In<float>({1, 4, 1}, {1, 2, 3, 4})
      .In<int64_t>({}, {2})
      .In<float>({2}, {1, 0.5f})
      .In<int64_t>({}, {2})
      .Near(1e-6, 1e-6)
      .Expect<float>({1, 2, 2, 2}, {2, 0, 0, 0, 5, 0, 1, 0})
      .Run();
  OpCase("STFT", 17)
      .Attr("onesided", 0)
      .In<float>({1, 2, 2}, {1, 0, 0, 1})
      .In<int64_t>({}, {1})
      .Omit()
      .In<int64_t>({}, {2})
      .Near(1e-6, 1e-6)
      .Expect<float>({1, 1, 2, 2}, {1, 1, 1, -1})
      .Run();
}

TEST(MelWeightMatrix, TrianglesWithPeakOne) {
  OpCase("MelWeightMatrix", 17)
      .In<int64_t>({}, {1})
      .In<int64_t>({}, {8})
      .In<int64_t>({}, {8000})
      .In<float>({}, {0})
      .In<float>({}, {4000})
      .Expect<float>({5, 1}, {1, 0.5f, 0, 0, 0})
      .Run();
}

TEST(Random, StreamsBySeed) {
  const auto uniform = [](float seed) {
    return ElementsOf<float>(OpCase("RandomUniform", 22)
                                 .Attr("seed", seed)
                                 .Ints("shape", {1000})
                                 .Attr("low", 2.0f)
                                 .Attr("high", 4.0f)
                                 .Out(DType::kF32)
                                 .Outputs()[0]);
  };
  const auto first = uniform(1), again = uniform(1), other = uniform(2);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  double sum = 0;
  for (const float x : first) {
    EXPECT_GE(x, 2);
    EXPECT_LE(x, 4);
    sum += x;
  }
  EXPECT_NEAR(sum / 1000, 3, 0.1);
}

TEST(Random, Distributions) {
  double sum = 0, squares = 0;
  for (const double x : ElementsOf<double>(OpCase("RandomNormalLike", 22)
                                               .Attr("seed", 3.0f)
                                               .Attr("mean", 1.0f)
                                               .Attr("scale", 2.0f)
                                               .Attr("dtype", 11)
                                               .In<int8_t>({4000}, std::vector<int8_t>(4000))
                                               .Out(DType::kF64)
                                               .Outputs()[0])) {
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 4000, 1, 0.15);
  EXPECT_NEAR(squares / 4000 - sum / 4000 * sum / 4000, 4, 0.4);
  OpCase("Bernoulli", 22)
      .Attr("dtype", 9)
      .In<float>({3}, {0, 1, 0})
      .Expect<bool>({3}, {false, true, false})
      .Run();
  OpCase("Multinomial", 7)
      .Attr("sample_size", 3)
      .In<float>({2, 2}, {-1000, 0, 0, -1000})
      .Expect<int32_t>({2, 3}, {1, 1, 1, 0, 0, 0})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
