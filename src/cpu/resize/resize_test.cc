#include <gtest/gtest.h>

#include <random>

#include "cpu/resize/blend.h"
#include "cpu/testing/twin_case.h"

namespace waybill::cpu {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return TestTensorOf<float>({static_cast<int64_t>(values.size())}, values);
}

TwinCase ByScales(const Tensor& x, const std::vector<float>& scales) {
  return {"Resize", 13, {x, Tensor(), Floats(scales)}, {x.dtype()}};
}

TwinCase BySizes(const Tensor& x, const std::vector<int64_t>& sizes) {
  return {"Resize", 13, {x, Tensor(), Tensor(), TestInts(sizes)}, {x.dtype()}};
}

const std::vector<std::pair<Shape, std::vector<int64_t>>> kSizes = {
    {{5}, {9}},
    {{7}, {7}},
    {{1}, {4}},
    {{2, 3}, {2, 7}},
    {{1, 3, 4, 5}, {1, 3, 8, 10}},
    {{2, 3, 9, 11}, {2, 3, 4, 6}},
    {{1, 1, 16, 16}, {1, 1, 16, 31}},
    {{1, 2, 5, 5}, {1, 2, 11, 5}},
    {{2, 4, 5, 19}, {2, 8, 10, 19}},  // channels last
    {{1, 4, 5, 3}, {1, 9, 2, 3}},     // channels last, few
    {{1, 2, 3, 4, 5}, {1, 2, 6, 5, 9}},
    {{2, 3, 4, 5}, {4, 3, 6, 5}},  // axes with others between
    {{2, 2, 2, 2}, {3, 3, 3, 3}},
    {{1, 2, 100, 90}, {1, 2, 200, 180}},
    {{0, 3}, {0, 6}}};

TEST(Resize, ModesAndCoordinates) {
  for (const auto& [shape, sizes] : kSizes) {
    const Tensor x = TestRandomFloats(shape, 1);
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      for (const char* coordinates : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                      "align_corners", "asymmetric"}) {
        BySizes(x, sizes)
            .Text("mode", mode)
            .Text("coordinate_transformation_mode", coordinates)
            .Expect("resize.separable", 1e-5, 1e-5);
      }
    }
    for (const char* nearest : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
      BySizes(x, sizes)
          .Text("mode", "nearest")
          .Text("nearest_mode", nearest)
          .Text("coordinate_transformation_mode", "asymmetric")
          .Expect("resize.separable");
    }
  }
}

TEST(Resize, AntialiasAndExcludedOutside) {
  for (const auto& [shape, sizes] : kSizes) {
    const Tensor x = TestRandomFloats(shape, 1);
    for (const char* mode : {"linear", "cubic"}) {
      TwinCase c = BySizes(x, sizes);
      c.version = 19;
      c.Text("mode", mode).Int("antialias", 1).Expect("resize.separable", 1e-5, 1e-5);
      BySizes(x, sizes)
          .Text("mode", mode)
          .Int("exclude_outside", 1)
          .Expect("resize.separable", 1e-5, 1e-5);
    }
  }
}

TEST(Resize, Scales) {
  const Tensor x = TestRandomFloats({1, 2, 5, 6}, 1);
  for (const float scale : {0.3f, 0.6f, 1.0f, 1.5f, 2.0f, 3.3f}) {
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      ByScales(x, {1, 1, scale, 2}).Text("mode", mode).Expect("resize.separable", 1e-5, 1e-5);
    }
    TwinCase{"Upsample", 9, {x, Floats({1, 1, 1 + scale, 2})}, {DType::kF32}}
        .Text("mode", "linear")
        .Expect("upsample.separable", 1e-5, 1e-5);
    for (const char* mode : {"nearest", "linear"}) {
      TwinCase{"Resize", 10, {x, Floats({1, 1, scale, 0.7f})}, {DType::kF32}}
          .Text("mode", mode)
          .Expect("resize.separable", 1e-5, 1e-5);
    }
  }
  ByScales(x, {1, 1, 2}).Text("mode", "nearest").Expect("resize.separable");
}

TEST(Resize, NearestOfEveryWidth) {
  for (const DType type : {DType::kU8, DType::kF16, DType::kI32, DType::kI64, DType::kC128}) {
    for (const auto& [shape, sizes] : kSizes) {
      BySizes(TestRandomBytes(type, shape, 1), sizes)
          .Text("mode", "nearest")
          .Expect("resize.separable");
    }
  }
}

TEST(Blend, EveryLengthOnEveryTarget) {
  std::mt19937 random(1);
  for (const size_t taps : {1, 2, 3, 4, 7}) {
    for (const size_t inner : {1, 2, 7, 8, 9, 16, 31, 33}) {
      const size_t rows = 6, count = 9;
      const uint32_t base = 3;
      std::vector<float> in(rows * inner);
      for (float& v : in) v = static_cast<float>(random() % 100) / 10;
      std::vector<uint32_t> index(count * taps);
      for (uint32_t& i : index) i = base + static_cast<uint32_t>(random() % rows);
      std::vector<float> weight(count * taps);
      for (float& w : weight) w = static_cast<float>(random() % 100) / 100;
      for (const SimdTarget target : AvailableTargets()) {
        std::vector<float> out(count * inner + 1, -7);
        BlendFunctions(target).blend(
            {in.data(), out.data(), index.data(), weight.data(), taps, count, inner, base});
        for (size_t o = 0; o < count; ++o) {
          for (size_t i = 0; i < inner; ++i) {
            double want = 0;
            for (size_t t = 0; t < taps; ++t) {
              want += static_cast<double>(weight[o * taps + t]) *
                      static_cast<double>(in[(index[o * taps + t] - base) * inner + i]);
            }
            ASSERT_NEAR(out[o * inner + i], want, 1e-4) << SimdTargetName(target);
          }
        }
        EXPECT_EQ(out[count * inner], -7);
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
