#include "tensor/dtype/types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tensor/dtype/dispatch.h"
#include "tensor/dtype/packed.h"

namespace waybill {
namespace {

// The formats once more as plain numbers, for a slow decoder that shares nothing with the library.
struct Spec {
  int exp_bits, man_bits, bias;
  bool has_inf;        // top exponent is infinity and NaN
  bool fn_nan;         // all ones is NaN
  bool negative_zero;  // else its code is NaN
};
template <typename T>
Spec SpecOf();
template <>
Spec SpecOf<Half>() {
  return {5, 10, 15, true, false, true};
}
template <>
Spec SpecOf<BFloat16>() {
  return {8, 7, 127, true, false, true};
}
template <>
Spec SpecOf<F8E4M3FN>() {
  return {4, 3, 7, false, true, true};
}
template <>
Spec SpecOf<F8E4M3FNUZ>() {
  return {4, 3, 8, false, false, false};
}
template <>
Spec SpecOf<F8E5M2>() {
  return {5, 2, 15, true, false, true};
}
template <>
Spec SpecOf<F8E5M2FNUZ>() {
  return {5, 2, 16, false, false, false};
}
template <>
Spec SpecOf<F4E2M1>() {
  return {2, 1, 1, false, false, true};
}

double SlowValue(const Spec& s, unsigned code) {
  const int exponent = static_cast<int>(code >> s.man_bits) & ((1 << s.exp_bits) - 1);
  const int mantissa = static_cast<int>(code) & ((1 << s.man_bits) - 1);
  const bool negative = (code >> (s.exp_bits + s.man_bits)) & 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool top = exponent == (1 << s.exp_bits) - 1;
  if (s.has_inf && top) return mantissa ? nan : negative ? -INFINITY : INFINITY;
  if (s.fn_nan && top && mantissa == (1 << s.man_bits) - 1) return nan;
  if (!s.negative_zero && negative && exponent == 0 && mantissa == 0) return nan;
  const double scale = std::pow(2.0, s.man_bits);
  const double magnitude = exponent == 0 ? std::ldexp(mantissa / scale, 1 - s.bias)
                                         : std::ldexp(1.0 + mantissa / scale, exponent - s.bias);
  return negative ? -magnitude : magnitude;
}

template <typename T>
class MiniFloatTest : public testing::Test {
 public:
  static unsigned Codes() {
    const Spec s = SpecOf<T>();
    return 1u << (1 + s.exp_bits + s.man_bits);
  }
  static T At(unsigned code) { return T::FromBits(static_cast<typename T::Bits>(code)); }
  // Finite non-negative values in ascending order of their codes.
  static std::vector<double> Ladder() {
    std::vector<double> values;
    for (unsigned code = 0; code < Codes() / 2; ++code) {
      const double value = SlowValue(SpecOf<T>(), code);
      if (std::isfinite(value)) values.push_back(value);
    }
    return values;
  }
};
using MiniFloats = testing::Types<Half, BFloat16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F4E2M1>;
TYPED_TEST_SUITE(MiniFloatTest, MiniFloats);

TYPED_TEST(MiniFloatTest, EveryCodeDecodesToItsValue) {
  for (unsigned code = 0; code < this->Codes(); ++code) {
    const double want = SlowValue(SpecOf<TypeParam>(), code);
    const double got = this->At(code).ToFloat();
    EXPECT_EQ(std::isnan(want), this->At(code).IsNan()) << code;
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << code;
    } else {
      EXPECT_EQ(want, got) << code;
      EXPECT_EQ(std::signbit(want), std::signbit(got)) << code;
    }
  }
}

TYPED_TEST(MiniFloatTest, EveryCodeComesBackFromFloatAndDouble) {
  for (unsigned code = 0; code < this->Codes(); ++code) {
    const TypeParam value = this->At(code);
    if (value.IsNan()) {
      EXPECT_TRUE(TypeParam::FromFloat(value.ToFloat()).IsNan()) << code;
      continue;
    }
    EXPECT_EQ(TypeParam::FromFloat(value.ToFloat(), false).bits, code);
    EXPECT_EQ(TypeParam::FromDouble(value.ToFloat(), false).bits, code);
  }
}

TYPED_TEST(MiniFloatTest, RoundsToNearestEvenBetweenNeighbours) {
  const std::vector<double> ladder = this->Ladder();
  for (unsigned low = 0; low + 1 < ladder.size(); ++low) {
    const double middle = ladder[low] + (ladder[low + 1] - ladder[low]) / 2;
    const unsigned even = low % 2 == 0 ? low : low + 1;
    const auto code = [](double value) { return unsigned{TypeParam::FromDouble(value).bits}; };
    EXPECT_EQ(code(middle), even) << low;
    EXPECT_EQ(code(std::nextafter(middle, 0)), low);
    EXPECT_EQ(code(std::nextafter(middle, INFINITY)), low + 1);
    const auto as_float = static_cast<float>(middle);
    if (as_float != middle) continue;  // below float's own range
    EXPECT_EQ(TypeParam::FromFloat(as_float).bits, even) << low;
    EXPECT_EQ(TypeParam::FromFloat(std::nextafter(as_float, 0.0f)).bits, low);
    EXPECT_EQ(TypeParam::FromFloat(std::nextafter(as_float, INFINITY)).bits, low + 1);
    if (even != 0) {
      EXPECT_EQ(TypeParam::FromFloat(-as_float).ToFloat(), -ladder[even]) << low;
    }
  }
}

TYPED_TEST(MiniFloatTest, PastTheRangeSaturatesOrNot) {
  const std::vector<double> ladder = this->Ladder();
  const double max = ladder.back();
  const double gap = max - ladder[ladder.size() - 2];
  const double limit = max + gap / 2;  // the first value that no longer rounds to max
  const bool last_is_odd = (ladder.size() - 1) % 2 == 1;
  EXPECT_EQ(TypeParam::FromDouble(std::nextafter(limit, 0), false).ToFloat(), max);
  for (const double sign : {1.0, -1.0}) {
    for (const double value : {limit * (last_is_odd ? 1 : 1.001), max * 4, double{INFINITY}}) {
      EXPECT_EQ(TypeParam::FromDouble(sign * value, true).ToFloat(), sign * max) << value;
      const TypeParam loose = TypeParam::FromDouble(sign * value, false);
      if (SpecOf<TypeParam>().has_inf) {
        EXPECT_EQ(loose.ToFloat(), sign * INFINITY) << value;
      } else if (std::is_same_v<TypeParam, F4E2M1>) {
        EXPECT_EQ(loose.ToFloat(), sign * 6) << value;
      } else {
        EXPECT_TRUE(loose.IsNan()) << value;
      }
    }
  }
}

TYPED_TEST(MiniFloatTest, MinusZeroOnlyWhereItExists) {
  EXPECT_EQ(std::signbit(TypeParam(-0.0f).ToFloat()), SpecOf<TypeParam>().negative_zero);
  EXPECT_EQ(TypeParam(-0.0f).ToFloat(), 0.0f);
  EXPECT_EQ(TypeParam(-1e-42f).ToFloat(), 0.0f);
  EXPECT_FALSE(TypeParam(-1e-42f).IsNan());
}

TEST(MiniFloat, RandomFloatsAreNearest) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;  // the usual short formula
    EXPECT_EQ(BFloat16(value).bits, rounded) << value;
  }
}

TEST(MiniFloat, KnownCodes) {
  EXPECT_EQ(Half(1.0f).bits, 0x3C00);
  EXPECT_EQ(Half(65504).bits, 0x7BFF);
  EXPECT_EQ(Half(65520.0).bits, 0x7C00);
  EXPECT_EQ(Half::FromDouble(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)).bits, 0x3C01);
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3F80);
  EXPECT_EQ(F8E4M3FN(448).bits, 0x7E);
  EXPECT_EQ(F8E4M3FN(464).bits, 0x7E);
  EXPECT_EQ(F8E4M3FN::FromFloat(465, false).bits, 0x7F);
  EXPECT_EQ(F8E4M3FNUZ(240).bits, 0x7F);
  EXPECT_EQ(F8E5M2(57344).bits, 0x7B);
  EXPECT_EQ(F8E5M2FNUZ(57344).bits, 0x7F);
  EXPECT_EQ(F4E2M1(-3.5f).bits, 0xE);
  EXPECT_EQ(F4E2M1(NAN).bits, 0x8);
}

TEST(F8E8M0, EveryCodeAndItsNeighbourhood) {
  for (unsigned code = 0; code < 255; ++code) {
    const auto value = F8E8M0::FromBits(static_cast<uint8_t>(code));
    EXPECT_EQ(value.ToFloat(), std::ldexp(1.0, static_cast<int>(code) - 127)) << code;
    for (const auto round : {F8E8M0::Round::kUp, F8E8M0::Round::kDown, F8E8M0::Round::kNearest}) {
      EXPECT_EQ(F8E8M0::FromFloat(value.ToFloat(), round).bits, code);
      EXPECT_EQ(F8E8M0::FromFloat(-value.ToFloat(), round).bits, code);
    }
    if (code == 254) continue;
    const float above = std::nextafter(value.ToFloat(), INFINITY);
    const float middle = value.ToFloat() * 1.5f;
    using enum F8E8M0::Round;
    EXPECT_EQ(F8E8M0::FromFloat(above, kUp).bits, code + 1);
    EXPECT_EQ(F8E8M0::FromFloat(above, kDown).bits, code);
    EXPECT_EQ(F8E8M0::FromFloat(above, kNearest).bits, code);
    EXPECT_EQ(F8E8M0::FromFloat(middle, kNearest).bits, code + 1);
    EXPECT_EQ(F8E8M0::FromFloat(std::nextafter(middle, 0.0f), kNearest).bits, code);
  }
  const float max = std::numeric_limits<float>::max();
  EXPECT_EQ(F8E8M0::FromFloat(max, F8E8M0::Round::kUp, true).bits, 254);
  EXPECT_TRUE(F8E8M0::FromFloat(max, F8E8M0::Round::kUp, false).IsNan());
  EXPECT_TRUE(F8E8M0(INFINITY).IsNan());
  EXPECT_TRUE(std::isnan(F8E8M0(NAN).ToFloat()));
  EXPECT_EQ(F8E8M0(0.0f).bits, 0);
}

TEST(MiniInt, WrapsAndSignExtends) {
  for (int value = -40; value < 40; ++value) {
    EXPECT_EQ(U4(value).ToInt(), ((value % 16) + 16) % 16);
    EXPECT_EQ(I4(value).ToInt(), ((value + 8) % 16 + 16) % 16 - 8);
    EXPECT_EQ(U2(value).ToInt(), ((value % 4) + 4) % 4);
    EXPECT_EQ(I2(value).ToInt(), ((value + 2) % 4 + 4) % 4 - 2);
  }
}

template <typename T>
void CheckPacked() {
  std::byte data[4] = {};
  const size_t count = sizeof(data) * 8 / DTypeBits(kDTypeOf<T>);
  std::vector<uint8_t> shadow(count, 0);
  std::mt19937 random(3);
  for (int step = 0; step < 500; ++step) {
    const size_t i = random() % count;
    const auto code = static_cast<uint8_t>(random() % (1u << DTypeBits(kDTypeOf<T>)));
    StoreElement<T>(data, i, T::FromBits(code));
    shadow[i] = code;
    for (size_t j = 0; j < count; ++j) ASSERT_EQ(LoadElement<T>(data, j).bits, shadow[j]) << j;
  }
}

TEST(Packed, StoreAndLoadLeaveNeighboursAlone) {
  CheckPacked<I4>();
  CheckPacked<U4>();
  CheckPacked<F4E2M1>();
  CheckPacked<I2>();
  CheckPacked<U2>();
  const std::byte low_first[] = {std::byte{0x21}, std::byte{0xF3}};
  EXPECT_EQ(LoadElement<U4>(low_first, 0).ToInt(), 1);
  EXPECT_EQ(LoadElement<U4>(low_first, 1).ToInt(), 2);
  EXPECT_EQ(LoadElement<I4>(low_first, 3).ToInt(), -1);
  EXPECT_EQ(LoadElement<I2>(low_first, 4).ToInt(), -1);
}

TEST(Dispatch, FindsTheTypeOrNamesIt) {
  for (int code = 1; code < kDTypeCount; ++code) {
    const auto dtype = static_cast<DType>(code);
    DType seen = DType::kUndefined;
    const auto visit = [&]<typename T>() {
      seen = kDTypeOf<T>;
      return Status();
    };
    EXPECT_TRUE(DispatchDType(dtype, ConcatTypes<UnpackedTypes, PackedTypes>{}, visit).ok())
        << code;
    EXPECT_EQ(seen, dtype);
    size_t bytes = 0;
    const auto measure = [&]<typename T>() {
      bytes = sizeof(T);
      return Status();
    };
    const Status moved = DispatchByWidth(dtype, measure);
    EXPECT_EQ(moved.ok(), DTypeBits(dtype) >= 8);
    EXPECT_EQ(bytes, DTypeBits(dtype) >= 8 ? DTypeBits(dtype) / 8 : 0);
  }
  const Status missing =
      DispatchDType(DType::kString, FloatTypes{}, []<typename T>() { return Status(); });
  EXPECT_EQ(missing.code(), Code::kNotImplemented);
  EXPECT_NE(missing.message().find("string"), std::string::npos);
  const Status failing = DispatchDType(DType::kF32, FloatTypes{}, []<typename T>() {
    return Status(Code::kInvalidArgument, "inner");
  });
  EXPECT_EQ(failing.code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace waybill
