#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(ConvTest, SumsWindowsWithPadsAndBias) {
  OpCase("Conv", 11)
      .In<float>({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
      .In<float>({1, 1, 2, 2}, {1, 1, 1, 1})
      .In<float>({1}, {10})
      .Ints("pads", {1, 0, 0, 1})
      .Expect<float>({1, 1, 3, 3}, {13, 15, 13, 22, 26, 19, 34, 38, 25})
      .Run();
}

TEST(ConvTest, GroupsAreIndependentAndStridesAndDilationsHold) {
  OpCase("Conv", 22)
      .In<double>({1, 2, 5}, {1, 2, 3, 4, 5, 10, 20, 30, 40, 50})
      .In<double>({2, 1, 2}, {1, -1, 2, 1})
      .Attr("group", 2)
      .Ints("strides", {2})
      .Ints("dilations", {2})
      .Expect<double>({1, 2, 2}, {-2, -2, 50, 110})
      .Run();
}

TEST(ConvTest, SameUpperAndLowerDifferInOddPadding) {
  OpCase("Conv", 11)
      .In<float>({1, 1, 3}, {1, 2, 3})
      .In<float>({1, 1, 2}, {1, 10})
      .Attr("auto_pad", "SAME_UPPER")
      .Expect<float>({1, 1, 3}, {21, 32, 3})
      .Run();
  OpCase("Conv", 11)
      .In<float>({1, 1, 3}, {1, 2, 3})
      .In<float>({1, 1, 2}, {1, 10})
      .Attr("auto_pad", "SAME_LOWER")
      .Expect<float>({1, 1, 3}, {10, 21, 32})
      .Run();
}

TEST(ConvTest, EmptyBatchGivesEmptyOutput) {
  OpCase("Conv", 11)
      .In<float>({0, 1, 3, 3}, {})
      .In<float>({2, 1, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1})
      .Expect<float>({0, 2, 2, 2}, {})
      .Run();
}

TEST(ConvTest, RefusesShapesThatDoNotFit) {
  OpCase("Conv", 11)
      .In<float>({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
      .In<float>({1, 2, 2}, {1, 1, 1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not fit with group 1");
  OpCase("Conv", 11)
      .In<float>({1, 1, 2}, {1, 2})
      .In<float>({1, 1, 3}, {1, 1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "larger than the axis");
}

TEST(ConvTransposeTest, SpreadsInputs) {
  OpCase("ConvTranspose", 11)
      .In<float>({1, 1, 2}, {1, 2})
      .In<float>({1, 1, 3}, {1, 2, 3})
      .Ints("strides", {2})
      .Expect<float>({1, 1, 5}, {1, 2, 5, 4, 6})
      .Run();
  OpCase("ConvTranspose", 11)
      .In<float>({1, 1, 2}, {1, 2})
      .In<float>({1, 1, 3}, {1, 2, 3})
      .Ints("strides", {2})
      .Attr("auto_pad", "SAME_UPPER")
      .Expect<float>({1, 1, 4}, {1, 2, 5, 4})
      .Run();
}

TEST(ConvTransposeTest, GroupsAndBias) {
  OpCase("ConvTranspose", 1)
      .In<float>({1, 2, 1}, {3, 5})
      .In<float>({2, 2, 1}, {1, 2, 10, 20})
      .In<float>({4}, {0, 0, 0, 1})
      .Attr("group", 2)
      .Expect<float>({1, 4, 1}, {3, 6, 50, 101})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
