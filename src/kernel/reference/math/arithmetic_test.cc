#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Arithmetic, BroadcastsLikeNumpy) {
  OpCase("Add", 14)
      .In<float>({2, 1}, {1, 2})
      .In<float>({3}, {10, 20, 30})
      .Expect<float>({2, 3}, {11, 21, 31, 12, 22, 32})
      .Run();
  OpCase("Sub", 14)
      .In<double>({}, {1})
      .In<double>({2, 1, 2}, {1, 2, 3, 4})
      .Expect<double>({2, 1, 2}, {0, -1, -2, -3})
      .Run();
  OpCase("Mul", 14).In<Half>({2}, {1.5, -2}).In<Half>({1}, {2}).Expect<Half>({2}, {3, -4}).Run();
  OpCase("Add", 14).In<float>({0, 3}, {}).In<float>({1}, {1}).Expect<float>({0, 3}, {}).Run();
  OpCase("Add", 14).In<float>({}, {1}).In<float>({}, {2}).Expect<float>({}, {3}).Run();
  OpCase("Add", 14)
      .In<float>({2}, {1, 2})
      .In<float>({3}, {1, 2, 3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not broadcast");
}

TEST(Arithmetic, IntegersWrap) {
  OpCase("Add", 14).In<int8_t>({1}, {127}).In<int8_t>({1}, {1}).Expect<int8_t>({1}, {-128}).Run();
  OpCase("Mul", 14)
      .In<uint16_t>({1}, {65535})
      .In<uint16_t>({1}, {65535})
      .Expect<uint16_t>({1}, {1})
      .Run();
  OpCase("Sub", 14)
      .In<int64_t>({1}, {INT64_MIN})
      .In<int64_t>({1}, {1})
      .Expect<int64_t>({1}, {INT64_MAX})
      .Run();
  OpCase("Div", 14)
      .In<int32_t>({3}, {INT32_MIN, -7, 7})
      .In<int32_t>({3}, {-1, 2, 2})
      .Expect<int32_t>({3}, {INT32_MIN, -3, 3})
      .Run();
  OpCase("Div", 14)
      .In<uint64_t>({1}, {UINT64_MAX})
      .In<uint64_t>({1}, {2})
      .Expect<uint64_t>({1}, {UINT64_MAX / 2})
      .Run();
}

TEST(Arithmetic, DivisionByZero) {
  OpCase("Div", 14)
      .In<int32_t>({2}, {1, 2})
      .In<int32_t>({2}, {1, 0})
      .Out(DType::kI32)
      .Fails(Code::kInvalidArgument, "division by zero");
  OpCase("Mod", 13)
      .In<uint8_t>({1}, {1})
      .In<uint8_t>({}, {0})
      .Attr("fmod", 0)
      .Out(DType::kU8)
      .Fails(Code::kInvalidArgument, "division by zero");
  OpCase("Div", 14)
      .In<float>({3}, {1, -1, 0})
      .In<float>({}, {0})
      .Expect<float>({3}, {kInf, -kInf, kNan})
      .Run();
}

TEST(Arithmetic, BeforeOpset7) {
  OpCase("Add", 6)
      .Attr("broadcast", 1)
      .Attr("axis", 0)
      .In<float>({2, 3}, {0, 0, 0, 0, 0, 0})
      .In<float>({2}, {1, 2})
      .Expect<float>({2, 3}, {1, 1, 1, 2, 2, 2})
      .Run();
  OpCase("Sub", 6)
      .Attr("broadcast", 1)
      .In<float>({2, 3}, {1, 1, 1, 1, 1, 1})
      .In<float>({3}, {1, 2, 3})
      .Expect<float>({2, 3}, {0, -1, -2, 0, -1, -2})
      .Run();
  OpCase("Mul", 6)
      .Attr("broadcast", 1)
      .Attr("axis", 1)
      .In<float>({1, 2, 2}, {1, 2, 3, 4})
      .In<float>({2}, {10, 100})
      .Expect<float>({1, 2, 2}, {10, 20, 300, 400})
      .Run();
  OpCase("Mul", 6)
      .Attr("broadcast", 1)
      .In<float>({2}, {1, 2})
      .In<float>({1, 1}, {3})
      .Expect<float>({2}, {3, 6})
      .Run();
  OpCase("Div", 6)
      .Attr("broadcast", 0)
      .In<float>({2}, {1, 2})
      .In<float>({2}, {2, 2})
      .Expect<float>({2}, {0.5f, 1})
      .Run();
  OpCase("Add", 6)
      .Attr("broadcast", 1)
      .Attr("axis", 1)
      .In<float>({2, 3}, {0, 0, 0, 0, 0, 0})
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "does not fit");
  OpCase("And", 1)
      .Attr("broadcast", 1)
      .Attr("axis", 0)
      .In<bool>({2, 1}, {true, false})
      .In<bool>({2}, {true, true})
      .Expect<bool>({2, 1}, {true, false})
      .Run();
}

TEST(Mod, SignsOfIntegers) {
  OpCase("Mod", 13)
      .Attr("fmod", 0)
      .In<int32_t>({4}, {-4, 7, -7, 7})
      .In<int32_t>({4}, {2, -3, 3, 3})
      .Expect<int32_t>({4}, {0, -2, 2, 1})
      .Run();
  OpCase("Mod", 13)
      .Attr("fmod", 1)
      .In<int32_t>({4}, {-4, 7, -7, 7})
      .In<int32_t>({4}, {2, -3, 3, 3})
      .Expect<int32_t>({4}, {0, 1, -1, 1})
      .Run();
  OpCase("Mod", 13)
      .Attr("fmod", 0)
      .In<int8_t>({1}, {-128})
      .In<int8_t>({1}, {-1})
      .Expect<int8_t>({1}, {0})
      .Run();
  OpCase("Mod", 13)
      .Attr("fmod", 1)
      .In<float>({2}, {-4.3f, 7.5f})
      .In<float>({2}, {2.1f, 0})
      .Near(1e-5, 1e-5)
      .Expect<float>({2}, {-0.1f, kNan})
      .Run();
  OpCase("Mod", 13)
      .Attr("fmod", 0)
      .In<float>({1}, {1})
      .In<float>({1}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "fmod must be 1");
}

TEST(Pow, TypesOfItsOwn) {
  OpCase("Pow", 15)
      .In<float>({2}, {2, 9})
      .In<int64_t>({2}, {3, -1})
      .Expect<float>({2}, {8, 1.0f / 9})
      .Run();
  OpCase("Pow", 15)
      .In<int32_t>({3}, {2, 3, 9})
      .In<float>({3}, {3, 2, 0.5f})
      .Expect<int32_t>({3}, {8, 9, 3})
      .Run();
  OpCase("Pow", 15)
      .In<int64_t>({3}, {3, -1, 2})
      .In<int64_t>({3}, {39, -3, -1})
      .Expect<int64_t>({3}, {4052555153018976267, -1, 0})
      .Run();
  OpCase("Pow", 15)
      .In<int32_t>({1}, {0})
      .In<int32_t>({1}, {-1})
      .Out(DType::kI32)
      .Fails(Code::kInvalidArgument, "zero to a negative power");
  OpCase("Pow", 7).In<float>({2, 1}, {2, 3}).In<float>({}, {2}).Expect<float>({2, 1}, {4, 9}).Run();
  OpCase("Pow", 1)
      .Attr("broadcast", 1)
      .Attr("axis", 0)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<float>({2}, {1, 2})
      .Expect<float>({2, 2}, {1, 2, 9, 16})
      .Run();
  OpCase("Pow", 13)
      .In<int32_t>({1}, {10})
      .In<double>({1}, {300})
      .Expect<int32_t>({1}, {INT32_MAX})
      .Run();
}

TEST(Mod, FloatsTakeTheSignOfTheDivisorFromVersion28On) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OpCase("Mod", 28)
      .In<float>({9}, {-4.5f, 4.5f, -4, 3, -3, inf, 1, nan, -0.0f})
      .In<float>({9}, {2, -2, 2, inf, inf, 2, 0, 1, 5})
      .Expect<float>({9}, {1.5f, -1.5f, 0, 3, inf, nan, nan, nan, 0})
      .Run();
}

TEST(BitShift, SignedNumbersKeepTheirSign) {
  OpCase("BitShift", 28)
      .In<int8_t>({6}, {-128, -3, 3, -1, 5, -5})
      .In<int8_t>({6}, {1, 1, 1, 8, -1, -1})
      .Attr("direction", "RIGHT")
      .Expect<int8_t>({6}, {-64, -2, 1, -1, 0, -1})
      .Run();
  OpCase("BitShift", 28)
      .In<int32_t>({4}, {-1, 3, 0x40000000, 7})
      .In<int32_t>({4}, {31, 2, 1, -2})
      .Attr("direction", "LEFT")
      .Expect<int32_t>(
          {4}, {std::numeric_limits<int32_t>::min(), 12, std::numeric_limits<int32_t>::min(), 0})
      .Run();
}

TEST(BitShift, ByTheWidthOrMoreLeavesNothing) {
  OpCase("BitShift", 11)
      .Attr("direction", "LEFT")
      .In<uint8_t>({3}, {16, 4, 1})
      .In<uint8_t>({3}, {1, 8, 255})
      .Expect<uint8_t>({3}, {32, 0, 0})
      .Run();
  OpCase("BitShift", 11)
      .Attr("direction", "RIGHT")
      .In<uint64_t>({2}, {UINT64_MAX, 1})
      .In<uint64_t>({2}, {63, 64})
      .Expect<uint64_t>({2}, {1, 0})
      .Run();
}

TEST(Bitwise, Integers) {
  OpCase("BitwiseAnd", 18)
      .In<int8_t>({2}, {-1, 6})
      .In<int8_t>({1}, {3})
      .Expect<int8_t>({2}, {3, 2})
      .Run();
  OpCase("BitwiseOr", 18)
      .In<uint16_t>({1}, {1})
      .In<uint16_t>({1}, {256})
      .Expect<uint16_t>({1}, {257})
      .Run();
  OpCase("BitwiseXor", 18)
      .In<int64_t>({1}, {-1})
      .In<int64_t>({1}, {1})
      .Expect<int64_t>({1}, {-2})
      .Run();
  OpCase("BitwiseNot", 18).In<uint8_t>({2}, {0, 254}).Expect<uint8_t>({2}, {255, 1}).Run();
}

TEST(Compare, NanIsNothing) {
  OpCase("Equal", 19)
      .In<float>({2}, {kNan, 1})
      .In<float>({2}, {kNan, 1})
      .Expect<bool>({2}, {false, true})
      .Run();
  OpCase("Less", 13)
      .In<Half>({3}, {1, 2, kNan})
      .In<Half>({}, {2})
      .Expect<bool>({3}, {true, false, false})
      .Run();
  OpCase("GreaterOrEqual", 16)
      .In<uint64_t>({2}, {UINT64_MAX, 0})
      .In<uint64_t>({}, {1})
      .Expect<bool>({2}, {true, false})
      .Run();
  OpCase("LessOrEqual", 16)
      .In<int8_t>({2}, {-1, 2})
      .In<int8_t>({}, {1})
      .Expect<bool>({2}, {true, false})
      .Run();
  OpCase("Greater", 9)
      .In<int64_t>({2}, {-1, 2})
      .In<int64_t>({}, {1})
      .Expect<bool>({2}, {false, true})
      .Run();
  OpCase("Equal", 19)
      .In<std::string>({2}, {"a", "b"})
      .In<std::string>({1}, {"b"})
      .Expect<bool>({2}, {false, true})
      .Run();
}

TEST(Logic, Tables) {
  OpCase("And", 7)
      .In<bool>({4}, {false, false, true, true})
      .In<bool>({4}, {false, true, false, true})
      .Expect<bool>({4}, {false, false, false, true})
      .Run();
  OpCase("Or", 7)
      .In<bool>({4}, {false, false, true, true})
      .In<bool>({4}, {false, true, false, true})
      .Expect<bool>({4}, {false, true, true, true})
      .Run();
  OpCase("Xor", 7)
      .In<bool>({4}, {false, false, true, true})
      .In<bool>({4}, {false, true, false, true})
      .Expect<bool>({4}, {false, true, true, false})
      .Run();
  OpCase("Not", 1).In<bool>({2}, {false, true}).Expect<bool>({2}, {true, false}).Run();
}

TEST(Variadic, AnyNumberOfOperands) {
  OpCase("Max", 13)
      .In<float>({2}, {1, kNan})
      .In<float>({}, {2})
      .In<float>({1}, {0})
      .Expect<float>({2}, {2, kNan})
      .Run();
  OpCase("Min", 13)
      .In<int8_t>({2}, {1, 5})
      .In<int8_t>({2, 1}, {3, -3})
      .Expect<int8_t>({2, 2}, {1, 3, -3, -3})
      .Run();
  OpCase("Sum", 13).In<float>({2}, {1, 2}).Expect<float>({2}, {1, 2}).Run();
  OpCase("Sum", 8)
      .In<double>({2}, {1, 2})
      .In<double>({1}, {1})
      .In<double>({}, {5})
      .Expect<double>({2}, {7, 8})
      .Run();
  OpCase("Mean", 13).In<Half>({1}, {1}).In<Half>({1}, {4}).Expect<Half>({1}, {2.5}).Run();
}

TEST(Where, PicksByBroadcastCondition) {
  OpCase("Where", 16)
      .In<bool>({2, 1}, {true, false})
      .In<std::string>({}, {"x"})
      .In<std::string>({2}, {"a", "b"})
      .Expect<std::string>({2, 2}, {"x", "x", "a", "b"})
      .Run();
  OpCase("Where", 9)
      .In<bool>({2}, {true, false})
      .In<int64_t>({2}, {1, 2})
      .In<int64_t>({2}, {3, 4})
      .Expect<int64_t>({2}, {1, 4})
      .Run();
}

TEST(PRelu, SlopeBroadcastsToTheInput) {
  OpCase("PRelu", 16)
      .In<float>({2, 2}, {-1, 2, -3, 4})
      .In<float>({2}, {0.5f, 1})
      .Expect<float>({2, 2}, {-0.5f, 2, -1.5f, 4})
      .Run();
  OpCase("PRelu", 6)
      .In<float>({1, 2, 2}, {-1, 2, -3, 4})
      .In<float>({2}, {0.5f, 2})
      .Expect<float>({1, 2, 2}, {-0.5f, 2, -6, 4})
      .Run();
  OpCase("PRelu", 9)
      .In<int32_t>({2}, {-2, 3})
      .In<int32_t>({1}, {4})
      .Expect<int32_t>({2}, {-8, 3})
      .Run();
  OpCase("PRelu", 16)
      .In<float>({1}, {-1})
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "does not broadcast");
}

}  // namespace
}  // namespace waybill::kernel
