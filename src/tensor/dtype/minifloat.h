// Floating point formats of 4 to 16 bits: one exact decoder and one correctly rounding encoder for
// all of them, driven by a format description. `types.h` gives the element types made of these.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace waybill::minifloat {

// What sets the formats apart. Codes are given without the sign bit.
struct IeeeSpecials {  // top exponent: infinity and NaN; both zeros
  static constexpr bool kIeee = true;
  static constexpr bool kNegativeZero = true;
};
struct FiniteSpecials {  // "FN": no infinity, NaN is all ones, both zeros
  static constexpr bool kIeee = false;
  static constexpr bool kNegativeZero = true;
};
struct UnsignedZeroSpecials {  // "FNUZ": no infinity, one zero, NaN is the code of minus zero
  static constexpr bool kIeee = false;
  static constexpr bool kNegativeZero = false;
};

template <int kExpBitsV, int kManBitsV, int kBiasV, uint32_t kMaxCodeV, typename Specials>
struct Format : Specials {
  static constexpr int kExpBits = kExpBitsV;
  static constexpr int kManBits = kManBitsV;
  static constexpr int kBias = kBiasV;
  static constexpr uint32_t kMaxCode = kMaxCodeV;  // largest finite magnitude
  static constexpr uint32_t kSignBit = 1u << (kExpBits + kManBits);
  static constexpr uint32_t kMagnitude = kSignBit - 1;
  static constexpr uint32_t kInfinity = ((1u << kExpBits) - 1) << kManBits;  // kIeee only
};

using HalfFormat = Format<5, 10, 15, 0x7BFF, IeeeSpecials>;
using BFloat16Format = Format<8, 7, 127, 0x7F7F, IeeeSpecials>;
using E4M3FNFormat = Format<4, 3, 7, 0x7E, FiniteSpecials>;
using E4M3FNUZFormat = Format<4, 3, 8, 0x7F, UnsignedZeroSpecials>;
using E5M2Format = Format<5, 2, 15, 0x7B, IeeeSpecials>;
using E5M2FNUZFormat = Format<5, 2, 16, 0x7F, UnsignedZeroSpecials>;
// No infinity and no NaN: max code is all ones.
using E2M1Format = Format<2, 1, 1, 0x7, FiniteSpecials>;

// The NaN code of a format for a given sign. A format without NaN gives minus zero.
template <typename F>
constexpr uint32_t NanCode(bool negative) {
  const uint32_t sign = negative ? F::kSignBit : 0;
  if constexpr (F::kIeee) return sign | F::kInfinity | (1u << (F::kManBits - 1));
  if constexpr (!F::kNegativeZero || F::kMaxCode == F::kMagnitude) return F::kSignBit;
  return sign | F::kMagnitude;
}

template <typename F>
constexpr bool IsNan(uint32_t code) {
  const uint32_t magnitude = code & F::kMagnitude;
  if constexpr (F::kIeee) return magnitude > F::kInfinity;
  if constexpr (!F::kNegativeZero) return code == F::kSignBit;
  return magnitude > F::kMaxCode;
}

// 2^exponent for normal float exponents.
constexpr float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

// The exact value of a code as a float; NaN keeps its sign, and its payload where there is one.
template <typename F>
constexpr float Decode(uint32_t code) {
  const uint32_t sign = (code & F::kSignBit) != 0 ? 0x80000000u : 0;
  const uint32_t magnitude = code & F::kMagnitude;
  if (IsNan<F>(code)) {
    uint32_t payload = 0;
    if constexpr (F::kIeee) payload = (magnitude - F::kInfinity) << (23 - F::kManBits);
    return std::bit_cast<float>(sign | 0x7FC00000u | payload);
  }
  if constexpr (F::kIeee) {
    if (magnitude == F::kInfinity) return std::bit_cast<float>(sign | 0x7F800000u);
  }
  if constexpr (F::kBias == 127) {  // float's own exponent range, subnormals included
    return std::bit_cast<float>(sign | magnitude << (23 - F::kManBits));
  }
  const uint32_t exponent = magnitude >> F::kManBits;
  const uint32_t mantissa = magnitude & ((1u << F::kManBits) - 1);
  float value = 0;
  if (exponent == 0) {
    value = static_cast<float>(mantissa) * PowerOfTwo(1 - F::kBias - F::kManBits);
  } else {
    const uint32_t rebased = exponent + static_cast<uint32_t>(127 - F::kBias);
    value = std::bit_cast<float>(rebased << 23 | mantissa << (23 - F::kManBits));
  }
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
}

// `value` >> `shift`, rounded to nearest, ties to even; 1 <= shift.
constexpr uint64_t ShiftRightToEven(uint64_t value, int shift) {
  if (shift > 62) return 0;
  const uint64_t half = uint64_t{1} << (shift - 1);
  const uint64_t floor = value >> shift;
  const uint64_t rest = value & ((half << 1) - 1);
  return floor + (rest > half || (rest == half && (floor & 1) != 0) ? 1 : 0);
}

// The code nearest to `value` (float or double), ties to even. Past the largest finite value,
// infinities included: that value when `saturate`, else infinity, or NaN in formats without one.
template <typename F, typename From>
constexpr uint32_t Encode(From value, bool saturate) {
  using Bits = std::conditional_t<sizeof(From) == 4, uint32_t, uint64_t>;
  constexpr int kFromMan = std::numeric_limits<From>::digits - 1;
  constexpr int kFromExp = static_cast<int>(sizeof(From)) * 8 - 1 - kFromMan;
  constexpr int kFromBias = (1 << (kFromExp - 1)) - 1;
  const Bits bits = std::bit_cast<Bits>(value);
  const bool negative = (bits >> (kFromMan + kFromExp)) != 0;
  const int exponent = static_cast<int>(bits >> kFromMan) & ((1 << kFromExp) - 1);
  const uint64_t mantissa = bits & ((Bits{1} << kFromMan) - 1);
  const bool special = exponent == (1 << kFromExp) - 1;
  if (special && mantissa != 0) return NanCode<F>(negative);

  uint64_t magnitude = uint64_t{F::kMaxCode} + 1;
  if (!special) {
    const uint64_t hidden = exponent != 0 ? uint64_t{1} << kFromMan : 0;
    const int target = (exponent != 0 ? exponent : 1) - kFromBias + F::kBias;
    const int below = target < 1 ? 1 - target : 0;  // extra shift of target subnormals
    const uint64_t rounded = ShiftRightToEven(hidden | mantissa, kFromMan - F::kManBits + below);
    // The hidden bit carries into the exponent field, as does a mantissa that rounds up.
    magnitude = rounded + (static_cast<uint64_t>(target > 1 ? target - 1 : 0) << F::kManBits);
  }
  const uint32_t sign = negative ? F::kSignBit : 0;
  if (magnitude > F::kMaxCode) {
    constexpr bool kNothingAbove = F::kNegativeZero && F::kMaxCode == F::kMagnitude;
    if (saturate || kNothingAbove) return sign | F::kMaxCode;
    if constexpr (F::kIeee) return sign | F::kInfinity;
    return NanCode<F>(negative);
  }
  if constexpr (!F::kNegativeZero) {
    if (magnitude == 0) return 0;
  }
  return sign | static_cast<uint32_t>(magnitude);
}

}  // namespace waybill::minifloat
