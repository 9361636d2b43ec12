// Slice and Pad.
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Slice, AttributesOfTheFirstVersion) {
  OpCase("Slice", 1)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Ints("axes", {1})
      .Ints("starts", {-2})
      .Ints("ends", {1000})
      .Expect<float>({2, 2}, {2, 3, 5, 6})
      .Run();
  OpCase("Slice", 1)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Ints("starts", {1, 0})
      .Ints("ends", {2, -1})
      .Expect<float>({1, 2}, {4, 5})
      .Run();
}

void OneAxis(int64_t start, int64_t end, int64_t step, const std::vector<int32_t>& want) {
  OpCase("Slice", 13)
      .In<int32_t>({5}, {0, 1, 2, 3, 4})
      .In<int64_t>({1}, {start})
      .In<int64_t>({1}, {end})
      .In<int64_t>({1}, {-1})
      .In<int64_t>({1}, {step})
      .Expect<int32_t>(Shape{static_cast<int64_t>(want.size())}, want)
      .Run();
}

TEST(Slice, ClampsAsPythonDoes) {
  OneAxis(1, 4, 2, {1, 3});
  OneAxis(-100, 100, 1, {0, 1, 2, 3, 4});
  OneAxis(3, 1, 1, {});
  OneAxis(100, 200, 1, {});
  OneAxis(4, 0, -1, {4, 3, 2, 1});
  OneAxis(-1, -100, -1, {4, 3, 2, 1, 0});
  OneAxis(100, kMin, -3, {4, 1});
  OneAxis(0, kMin, -1, {0});
  OneAxis(kMax, kMin, kMin, {4});
  OneAxis(kMin, kMax, kMax, {0});
  OneAxis(-100, 2, -1, {});
}

TEST(Slice, EmptyTensorsAndSeveralAxes) {
  OpCase("Slice", 10)
      .In<float>({0}, {})
      .In<int64_t>({1}, {-1})
      .In<int64_t>({1}, {kMin})
      .In<int64_t>({1}, {0})
      .In<int64_t>({1}, {-1})
      .Expect<float>({0}, {})
      .Run();
  OpCase("Slice", 11)
      .In<int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7})
      .In<int32_t>({2}, {1, -1})
      .In<int32_t>({2}, {2, -3})
      .In<int32_t>({2}, {-3, 2})
      .In<int32_t>({2}, {1, -1})
      .Expect<int32_t>({1, 2, 2}, {5, 4, 7, 6})
      .Run();
}

TEST(Slice, RefusesWhatItCannotDo) {
  const auto fails = [](int64_t axis, int64_t step, const char* words) {
    OpCase("Slice", 13)
        .In<float>({2}, {1, 2})
        .In<int64_t>({1}, {0})
        .In<int64_t>({1}, {1})
        .In<int64_t>({1}, {axis})
        .In<int64_t>({1}, {step})
        .Out(DType::kF32)
        .Fails(Code::kInvalidArgument, words);
  };
  fails(0, 0, "step of axis 0 is 0");
  fails(1, 1, "axis 1 is out of range for rank 1");
  OpCase("Slice", 13)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({2}, {0, 0})
      .In<int64_t>({2}, {1, 1})
      .In<int64_t>({2}, {0, -2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 0 twice");
  OpCase("Slice", 13)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {0})
      .In<int64_t>({2}, {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "1 starts, 2 ends");
}

OpCase& PadOne(OpCase& c, const char* mode, int64_t before, int64_t after) {
  return c.In<int32_t>({3}, {1, 2, 3}).In<int64_t>({2}, {before, after}).Attr("mode", mode);
}

void Padded(const char* mode, int64_t before, int64_t after, const std::vector<int32_t>& want) {
  OpCase c("Pad", 19);
  PadOne(c, mode, before, after)
      .Expect<int32_t>(Shape{static_cast<int64_t>(want.size())}, want)
      .Run();
}

TEST(Pad, Modes) {
  Padded("constant", 1, 2, {0, 1, 2, 3, 0, 0});
  Padded("edge", 2, 1, {1, 1, 1, 2, 3, 3});
  Padded("reflect", 2, 1, {3, 2, 1, 2, 3, 2});
  Padded("wrap", 2, 4, {2, 3, 1, 2, 3, 1, 2, 3, 1});
}

TEST(Pad, ReflectBeyondTheSizeGoesBackAndForth) {
  Padded("reflect", 5, 0, {2, 1, 2, 3, 2, 1, 2, 3});
  Padded("reflect", 0, 6, {1, 2, 3, 2, 1, 2, 3, 2, 1});
  OpCase("Pad", 19)
      .In<int32_t>({1}, {7})
      .In<int64_t>({2}, {2, 1})
      .Attr("mode", "reflect")
      .Expect<int32_t>({4}, {7, 7, 7, 7})
      .Run();
}

TEST(Pad, NegativeAmountsRemoveFirst) {
  Padded("constant", -1, 2, {2, 3, 0, 0});
  Padded("reflect", -1, 2, {2, 3, 2, 3});
  Padded("edge", 2, -2, {1, 1, 1});
  Padded("constant", -1, -2, {});
}

TEST(Pad, AxesAndOldForms) {
  OpCase("Pad", 18)
      .In<float>({1, 2}, {1, 2})
      .In<int64_t>({2}, {0, 1})
      .In<float>({}, {9})
      .In<int32_t>({1}, {-2})
      .Expect<float>({2, 2}, {1, 2, 9, 9})
      .Run();
  OpCase("Pad", 2)
      .In<float>({2}, {1, 2})
      .Ints("pads", {1, 0})
      .Attr("value", 3.5)
      .Expect<float>({3}, {3.5, 1, 2})
      .Run();
  OpCase("Pad", 1)
      .In<float>({2}, {1, 2})
      .Ints("paddings", {0, 1})
      .Expect<float>({3}, {1, 2, 0})
      .Run();
  OpCase("Pad", 13).In<float>({}, {1}).In<int64_t>({0}, {}).Expect<float>({}, {1}).Run();
  OpCase("Pad", 13)
      .In<std::string>({1}, {"a"})
      .In<int64_t>({2}, {1, 0})
      .Expect<std::string>({2}, {"", "a"})
      .Run();
  OpCase("Pad", 13)
      .In<float>({0, 2}, {})
      .In<int64_t>({4}, {1, 0, 0, 0})
      .Expect<float>({1, 2}, {0, 0})
      .Run();
}

TEST(Pad, Errors) {
  OpCase removed("Pad", 19);
  PadOne(removed, "constant", -4, 9).Out(DType::kI32).Fails(Code::kInvalidArgument, "axis 0");
  OpCase count("Pad", 19);
  count.In<int32_t>({3}, {1, 2, 3}).In<int64_t>({1}, {1}).Out(DType::kI32);
  count.Fails(Code::kInvalidArgument, "pads [1] must have 2 values");
  OpCase mode("Pad", 19);
  PadOne(mode, "mirror", 1, 1).Out(DType::kI32).Fails(Code::kInvalidArgument, "mirror");
  OpCase("Pad", 19)
      .In<int32_t>({0}, {})
      .In<int64_t>({2}, {1, 1})
      .Attr("mode", "edge")
      .Out(DType::kI32)
      .Fails(Code::kInvalidArgument, "nothing left");
  OpCase huge("Pad", 19);
  PadOne(huge, "constant", kMax, kMax).Out(DType::kI32).Fails(Code::kInvalidArgument, "axis 0");
}

}  // namespace
}  // namespace waybill::kernel
