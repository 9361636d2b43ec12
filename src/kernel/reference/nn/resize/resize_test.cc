#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(ResizeTest, NearestModesDifferAtHalves) {
  const std::pair<const char*, std::vector<float>> cases[] = {{"floor", {1, 1, 2}},
                                                              {"ceil", {1, 2, 2}},
                                                              {"round_prefer_floor", {1, 1, 2}},
                                                              {"round_prefer_ceil", {1, 2, 2}}};
  for (const auto& [mode, expected] : cases) {
    OpCase("Resize", 13)
        .In<float>({2}, {1, 2})
        .Omit()
        .Omit()
        .In<int64_t>({1}, {3})
        .Attr("coordinate_transformation_mode", "align_corners")
        .Attr("nearest_mode", mode)
        .Expect<float>({3}, expected)
        .Run();
  }
}

// As ONNX Runtime does and as the examples of Resize-10 show.
TEST(ResizeTest, VersionTenTakesTheNextElementWhereAnAxisShrinks) {
  OpCase("Resize", 10)
      .In<float>({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})
      .In<float>({4}, {1, 1, 0.6, 0.6})
      .Expect<float>({1, 1, 1, 2}, {1, 3})
      .Run();
  // 7 / 0.7 is 10, neither more nor less.
  OpCase("Resize", 10)
      .In<float>({11}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
      .In<float>({1}, {0.7})
      .Expect<float>({7}, {0, 2, 3, 5, 6, 8, 9})
      .Run();
  OpCase("Resize", 10)
      .In<float>({3}, {1, 2, 3})
      .In<float>({1}, {1.7})
      .Expect<float>({5}, {1, 1, 2, 2, 3})
      .Run();
  OpCase("Resize", 10)
      .In<float>({3}, {1, 2, 3})
      .In<float>({1}, {1.3})
      .Expect<float>({3}, {1, 2, 3})
      .Run();
}

TEST(ResizeTest, LinearHalfPixelClampsAtTheEdges) {
  OpCase("Resize", 11)
      .In<float>({1, 1, 2}, {1, 3})
      .In<float>({0}, {})
      .In<float>({3}, {1, 1, 2})
      .Attr("mode", "linear")
      .Expect<float>({1, 1, 4}, {1, 1.5, 2.5, 3})
      .Run();
}

TEST(ResizeTest, CubicOfAConstantIsConstant) {
  OpCase("Resize", 18)
      .In<float>({4}, {2, 2, 2, 2})
      .Omit()
      .In<float>({1}, {0.5})
      .Attr("mode", "cubic")
      .Attr("antialias", 1)
      .Expect<float>({2}, {2, 2})
      .Run();
}

TEST(ResizeTest, CropsOutsideToTheExtrapolationValue) {
  OpCase("Resize", 11)
      .In<float>({2}, {1, 2})
      .In<float>({2}, {0, 2})
      .Omit()
      .In<int64_t>({1}, {3})
      .Attr("mode", "linear")
      .Attr("coordinate_transformation_mode", "tf_crop_and_resize")
      .Attr("extrapolation_value", 9.0f)
      .Expect<float>({3}, {1, 2, 9})
      .Run();
}

TEST(ResizeTest, AxesAndAspectRatio) {
  OpCase("Resize", 18)
      .In<int32_t>({1, 2, 1}, {1, 2})
      .Omit()
      .Omit()
      .In<int64_t>({2}, {5, 4})
      .Ints("axes", {2, 1})
      .Attr("keep_aspect_ratio_policy", "not_larger")
      .Expect<int32_t>({1, 4, 2}, {1, 1, 1, 1, 2, 2, 2, 2})
      .Run();
}

TEST(ResizeTest, VersionTenTakesScalesSecond) {
  OpCase("Resize", 10)
      .In<float>({2}, {1, 2})
      .In<float>({1}, {1.5})
      .Expect<float>({3}, {1, 1, 2})
      .Run();
}

TEST(ResizeTest, RefusesNonsense) {
  OpCase("Resize", 13)
      .In<float>({2}, {1, 2})
      .Omit()
      .In<float>({1}, {-1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "not positive");
  OpCase("Resize", 13)
      .In<float>({0}, {})
      .Omit()
      .Omit()
      .In<int64_t>({1}, {3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "nothing of shape");
}

TEST(UpsampleTest, ScalesAreAnAttributeThenAnInput) {
  OpCase("Upsample", 7)
      .In<float>({1, 2}, {1, 2})
      .Floats("scales", {2, 1})
      .Expect<float>({2, 2}, {1, 2, 1, 2})
      .Run();
  OpCase("Upsample", 9)
      .In<float>({1, 2}, {1, 2})
      .In<float>({2}, {1, 2})
      .Expect<float>({1, 4}, {1, 1, 2, 2})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
