// C++ types of tensor elements that C++ has none for, and which DType each C++ type stands for.
//
// All are trivially copyable and hold the raw code in `bits`. The 16- and 8-bit types lie in
// memory as tensors store them. The 4- and 2-bit types are the value of one element in the low
// bits of a byte; tensors pack them (see packed.h).
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tensor/dtype/dtype.h"
#include "tensor/dtype/minifloat.h"

namespace waybill {

// A small float. Conversions from a wider type round to nearest even and are correctly rounded from
// float and from double alike; conversions to float are exact. Arithmetic is the caller's, in
// float.
template <typename F, typename B, bool kSaturates>
struct MiniFloat {
  using Bits = B;
  B bits = 0;

  MiniFloat() = default;
  template <typename A>
  requires std::is_arithmetic_v<A>
  constexpr explicit MiniFloat(A value) : bits(Encode(value, kSaturates)) {}

  static constexpr MiniFloat FromBits(B bits) {
    MiniFloat out;
    out.bits = bits;
    return out;
  }
  // `saturate`: values past the range become the largest finite one, not infinity or NaN.
  static constexpr MiniFloat FromFloat(float value, bool saturate = kSaturates) {
    return FromBits(Encode(value, saturate));
  }
  static constexpr MiniFloat FromDouble(double value, bool saturate = kSaturates) {
    return FromBits(Encode(value, saturate));
  }

  constexpr float ToFloat() const { return minifloat::Decode<F>(bits); }
  constexpr explicit operator float() const { return ToFloat(); }
  constexpr explicit operator double() const { return ToFloat(); }
  constexpr bool IsNan() const { return minifloat::IsNan<F>(bits); }

 private:
  template <typename A>
  static constexpr B Encode(A value, bool saturate) {
    if constexpr (std::is_same_v<A, float>) {
      return static_cast<B>(minifloat::Encode<F>(value, saturate));
    } else {
      return static_cast<B>(minifloat::Encode<F>(static_cast<double>(value), saturate));
    }
  }
};

using Half = MiniFloat<minifloat::HalfFormat, uint16_t, false>;
using BFloat16 = MiniFloat<minifloat::BFloat16Format, uint16_t, false>;
using F8E4M3FN = MiniFloat<minifloat::E4M3FNFormat, uint8_t, true>;
using F8E4M3FNUZ = MiniFloat<minifloat::E4M3FNUZFormat, uint8_t, true>;
using F8E5M2 = MiniFloat<minifloat::E5M2Format, uint8_t, true>;
using F8E5M2FNUZ = MiniFloat<minifloat::E5M2FNUZFormat, uint8_t, true>;
// Values 0, 0.5, 1, 1.5, 2, 3, 4, 6 of either sign. Saturates always; NaN becomes minus zero.
using F4E2M1 = MiniFloat<minifloat::E2M1Format, uint8_t, true>;

// A power of two from 2^-127 to 2^127, or NaN: the scale type of block formats.
struct F8E8M0 {
  using Bits = uint8_t;
  enum class Round : uint8_t { kUp, kDown, kNearest };  // kNearest: ties up
  uint8_t bits = 0;

  F8E8M0() = default;
  template <typename A>
  requires std::is_arithmetic_v<A>
  explicit F8E8M0(A value) : F8E8M0(FromFloat(static_cast<float>(value))) {}

  static constexpr F8E8M0 FromBits(uint8_t bits) {
    F8E8M0 out;
    out.bits = bits;
    return out;
  }
  // The sign is dropped; zero becomes the smallest power; infinity and NaN become NaN. A finite
  // value above 2^127 that rounds up becomes 2^127 when `saturate`, else NaN.
  static F8E8M0 FromFloat(float value, Round round = Round::kUp, bool saturate = true);
  float ToFloat() const;
  explicit operator float() const { return ToFloat(); }
  explicit operator double() const { return ToFloat(); }
  constexpr bool IsNan() const { return bits == 0xFF; }
};

// An integer of 4 or 2 bits. Conversion from a wider integer keeps the low bits.
template <int kBits, bool kSigned>
struct MiniInt {
  static constexpr uint8_t kMask = (1 << kBits) - 1;
  static constexpr int kMin = kSigned ? -(1 << (kBits - 1)) : 0;
  static constexpr int kMax = kSigned ? (1 << (kBits - 1)) - 1 : kMask;
  uint8_t bits = 0;

  MiniInt() = default;
  template <typename A>
  requires std::is_integral_v<A>
  constexpr explicit MiniInt(A value)
      : bits(static_cast<uint8_t>(static_cast<uint64_t>(value) & kMask)) {}
  static constexpr MiniInt FromBits(uint8_t bits) {
    MiniInt out;
    out.bits = bits;
    return out;
  }
  constexpr int ToInt() const {
    const int value = bits & kMask;
    return kSigned && value > kMax ? value - (1 << kBits) : value;
  }
  constexpr explicit operator int() const { return ToInt(); }
  constexpr explicit operator float() const { return static_cast<float>(ToInt()); }
};
using I4 = MiniInt<4, true>;
using U4 = MiniInt<4, false>;
using I2 = MiniInt<2, true>;
using U2 = MiniInt<2, false>;

namespace dtype_internal {
template <typename T>
struct Of;
#define WB_DTYPE_OF_(type, code)                 \
  template <>                                    \
  struct Of<type> {                              \
    static constexpr DType kValue = DType::code; \
  };
WB_DTYPE_OF_(float, kF32)
WB_DTYPE_OF_(uint8_t, kU8)
WB_DTYPE_OF_(int8_t, kI8)
WB_DTYPE_OF_(uint16_t, kU16)
WB_DTYPE_OF_(int16_t, kI16)
WB_DTYPE_OF_(int32_t, kI32)
WB_DTYPE_OF_(int64_t, kI64)
WB_DTYPE_OF_(std::string, kString)
WB_DTYPE_OF_(bool, kBool)
WB_DTYPE_OF_(Half, kF16)
WB_DTYPE_OF_(double, kF64)
WB_DTYPE_OF_(uint32_t, kU32)
WB_DTYPE_OF_(uint64_t, kU64)
WB_DTYPE_OF_(std::complex<float>, kC64)
WB_DTYPE_OF_(std::complex<double>, kC128)
WB_DTYPE_OF_(BFloat16, kBF16)
WB_DTYPE_OF_(F8E4M3FN, kF8E4M3FN)
WB_DTYPE_OF_(F8E4M3FNUZ, kF8E4M3FNUZ)
WB_DTYPE_OF_(F8E5M2, kF8E5M2)
WB_DTYPE_OF_(F8E5M2FNUZ, kF8E5M2FNUZ)
WB_DTYPE_OF_(U4, kU4)
WB_DTYPE_OF_(I4, kI4)
WB_DTYPE_OF_(F4E2M1, kF4E2M1)
WB_DTYPE_OF_(F8E8M0, kF8E8M0)
WB_DTYPE_OF_(U2, kU2)
WB_DTYPE_OF_(I2, kI2)
#undef WB_DTYPE_OF_
}  // namespace dtype_internal

// The DType whose element a T is.
template <typename T>
inline constexpr DType kDTypeOf = dtype_internal::Of<std::remove_cv_t<T>>::kValue;

}  // namespace waybill
