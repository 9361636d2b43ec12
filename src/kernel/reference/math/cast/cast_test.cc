#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

int64_t Code64(DType dtype) { return static_cast<int64_t>(dtype); }

TEST(Cast, FloatsToIntegersAreCut) {
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kI32))
      .In<float>({4}, {1.9f, -1.9f, 0, 3e9f})
      .Expect<int32_t>({4}, {1, -1, 0, INT32_MIN})
      .Run();
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kI64))
      .In<double>({3}, {-0x1p53, kInf, kNan})
      .Expect<int64_t>({3}, {-(int64_t{1} << 53), INT64_MIN, INT64_MIN})
      .Run();
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kU8))
      .In<float>({3}, {255, 256, -1})
      .Expect<uint8_t>({3}, {255, 0, 255})
      .Run();
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kU64))
      .In<double>({2}, {0x1p63, 5.5})
      .Expect<uint64_t>({2}, {uint64_t{1} << 63, 5})
      .Run();
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kBool))
      .In<float>({4}, {0, -0.0f, 0.1f, kNan})
      .Expect<bool>({4}, {false, false, true, true})
      .Run();
}

TEST(Cast, IntegersKeepAllBits) {
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kU64))
      .In<int64_t>({2}, {-1, INT64_MAX})
      .Expect<uint64_t>({2}, {UINT64_MAX, INT64_MAX})
      .Run();
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kI8))
      .In<int32_t>({2}, {128, -129})
      .Expect<int8_t>({2}, {-128, 127})
      .Run();
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kF32))
      .In<int64_t>({1}, {INT64_MAX})
      .Expect<float>({1}, {0x1p63f})
      .Run();
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kI32))
      .In<bool>({2}, {true, false})
      .Expect<int32_t>({2}, {1, 0})
      .Run();
}

TEST(Cast, SmallTypes) {
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kF16))
      .In<float>({3}, {1.5f, 70000, 1e-9f})
      .Expect<Half>({3}, {1.5, kInf, 0})
      .Run();
  OpCase("Cast", 19)
      .Attr("to", Code64(DType::kF8E4M3FN))
      .Attr("saturate", 1)
      .In<float>({3}, {1, 1e6f, kNan})
      .Expect<F8E4M3FN>({3}, {1, 448, kNan})
      .Run();
  OpCase("Cast", 19)
      .Attr("to", Code64(DType::kF8E5M2))
      .Attr("saturate", 0)
      .In<Half>({2}, {1, 60000})
      .Near(0.2)
      .Expect<F8E5M2>({2}, {1, 57344})
      .Run();
  OpCase("Cast", 19)
      .Attr("to", Code64(DType::kF8E4M3FN))
      .Attr("saturate", 0)
      .In<float>({1}, {1e6f})
      .Expect<F8E4M3FN>({1}, {kNan})
      .Run();
  OpCase("Cast", 21)
      .Attr("to", Code64(DType::kI4))
      .In<float>({3}, {7, 9, -8})
      .Expect<I4>({3}, {7, -7, -8})
      .Run();
  OpCase("Cast", 21)
      .Attr("to", Code64(DType::kF32))
      .In<U4>({3}, {0, 15, 7})
      .Expect<float>({3}, {0, 15, 7})
      .Run();
  OpCase("Cast", 25)
      .Attr("to", Code64(DType::kU2))
      .In<I2>({3}, {-2, -1, 1})
      .Expect<U2>({3}, {2, 3, 1})
      .Run();
  OpCase("Cast", 24)
      .Attr("to", Code64(DType::kF8E8M0))
      .Attr("round_mode", "up")
      .In<float>({2}, {1, 3})
      .Expect<F8E8M0>({2}, {1, 4})
      .Run();
  OpCase("Cast", 24)
      .Attr("to", Code64(DType::kF8E8M0))
      .Attr("round_mode", "down")
      .In<float>({1}, {3})
      .Expect<F8E8M0>({1}, {2})
      .Run();
}

TEST(Cast, Strings) {
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kF32))
      .In<std::string>({6}, {"3.5", " -1e-3 ", "NaN", "+INF", "-inf", "+2"})
      .Expect<float>({6}, {3.5f, -1e-3f, kNan, kInf, -kInf, 2})
      .Run();
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kI64))
      .In<std::string>({2}, {"9223372036854775807", "-1.9"})
      .Expect<int64_t>({2}, {INT64_MAX, -1})
      .Run();
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kString))
      .In<int8_t>({2}, {-128, 7})
      .Expect<std::string>({2}, {"-128", "7"})
      .Run();
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kString))
      .In<float>({2}, {0.1f, kNan})
      .Expect<std::string>({2}, {"0.1", "NaN"})
      .Run();
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kF32))
      .In<std::string>({1}, {"abc"})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "\"abc\" is not a number");
  OpCase("Cast", 9)
      .Attr("to", Code64(DType::kU8))
      .In<std::string>({1}, {""})
      .Out(DType::kU8)
      .Fails(Code::kInvalidArgument, "not a number");
}

TEST(Cast, SameTypeAndEmptyAndNamedType) {
  OpCase("Cast", 13)
      .Attr("to", Code64(DType::kF32))
      .In<float>({2}, {1, 2})
      .Expect<float>({2}, {1, 2})
      .Run();
  OpCase("Cast", 13).Attr("to", Code64(DType::kI4)).In<float>({0}, {}).Expect<I4>({0}, {}).Run();
  OpCase("Cast", 1).Attr("to", "INT64").In<float>({1}, {2.5f}).Expect<int64_t>({1}, {2}).Run();
  OpCase("CastLike", 19).In<float>({1}, {2.5f}).In<int8_t>({0}, {}).Expect<int8_t>({1}, {2}).Run();
}

TEST(BitCast, SameWidthOnly) {
  OpCase("BitCast", 26)
      .Attr("to", Code64(DType::kI32))
      .In<float>({1}, {1})
      .Expect<int32_t>({1}, {0x3F800000})
      .Run();
  OpCase("BitCast", 26)
      .Attr("to", Code64(DType::kU4))
      .In<I4>({3}, {-1, 0, 1})
      .Expect<U4>({3}, {15, 0, 1})
      .Run();
  OpCase("BitCast", 26)
      .Attr("to", Code64(DType::kI64))
      .In<float>({1}, {1})
      .Out(DType::kI64)
      .Fails(Code::kInvalidArgument, "the bits of float are no int64");
}

}  // namespace
}  // namespace waybill::kernel
