// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point numbers by their bits: IEEE half and bfloat16, to and from float.
#pragma once

#include <cstdint>
#include <cstring>

namespace onnxruntime_float16 {

namespace detail {

inline uint32_t BitsOf(float value) noexcept {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float FloatOf(uint32_t bits) noexcept {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace detail

/** IEEE 754 half: 1 sign, 5 exponent and 10 fraction bits. `Derived` is the type that users see. */
template <typename Derived>
struct Float16Impl {
  uint16_t val = 0;

  constexpr Float16Impl() = default;

  /** Nearest half, ties to even; too large becomes infinity. */
  static uint16_t ToUint16Impl(float v) noexcept {
    const uint32_t bits = detail::BitsOf(v);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);
    if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7C00u);
    uint32_t shift, base;
    if (magnitude < 0x38800000u) {  // below the smallest normal half
      const uint32_t exponent = magnitude >> 23;
      if (exponent < 102) return static_cast<uint16_t>(sign);
      shift = 126 - exponent;
      base = (magnitude & 0x7FFFFFu) | 0x800000u;
    } else {
      shift = 13;
      base = magnitude - 0x38000000u;
    }
    const uint32_t kept = base >> shift;
    const uint32_t rest = base & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    const uint32_t up = rest > half || (rest == half && (kept & 1u)) ? 1u : 0u;
    return static_cast<uint16_t>(sign | (kept + up));
  }

  float ToFloatImpl() const noexcept {
    const uint32_t sign = static_cast<uint32_t>(val & 0x8000u) << 16;
    const uint32_t exponent = (val >> 10) & 0x1Fu;
    const uint32_t fraction = val & 0x3FFu;
    if (exponent == 0x1F) return detail::FloatOf(sign | 0x7F800000u | (fraction << 13));
    if (exponent != 0) return detail::FloatOf(sign | ((exponent + 112) << 23) | (fraction << 13));
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;  // 2^-24
    return detail::FloatOf(sign | detail::BitsOf(magnitude));
  }

  bool IsNegative() const noexcept { return static_cast<int16_t>(val) < 0; }
  bool IsNaN() const noexcept { return (val & 0x7FFFu) > 0x7C00u; }
  bool IsFinite() const noexcept { return (val & 0x7C00u) != 0x7C00u; }
  bool IsInfinity() const noexcept { return (val & 0x7FFFu) == 0x7C00u; }
  bool IsPositiveInfinity() const noexcept { return val == 0x7C00u; }
  bool IsNegativeInfinity() const noexcept { return val == 0xFC00u; }
  bool IsNaNOrZero() const noexcept { return IsNaN() || (val & 0x7FFFu) == 0; }
  bool IsNormal() const noexcept { return IsFinite() && (val & 0x7C00u) != 0; }
  bool IsSubnormal() const noexcept { return (val & 0x7C00u) == 0 && (val & 0x3FFu) != 0; }
  Derived Abs() const noexcept { return Derived::FromBits(val & 0x7FFFu); }
  Derived Negate() const noexcept {
    return IsNaN() ? Derived::FromBits(val)
                   : Derived::FromBits(static_cast<uint16_t>(val ^ 0x8000u));
  }
  /** Both are zero of either sign. */
  static bool AreZero(const Float16Impl& a, const Float16Impl& b) noexcept {
    return ((a.val | b.val) & 0x7FFFu) == 0;
  }

  bool operator==(const Float16Impl& rhs) const noexcept {
    if (IsNaN() || rhs.IsNaN()) return false;
    return val == rhs.val || AreZero(*this, rhs);
  }
  bool operator!=(const Float16Impl& rhs) const noexcept { return !(*this == rhs); }
  bool operator<(const Float16Impl& rhs) const noexcept {
    return ToFloatImpl() < rhs.ToFloatImpl();
  }
};

/** The upper half of a float: 1 sign, 8 exponent and 7 fraction bits. */
template <typename Derived>
struct BFloat16Impl {
  uint16_t val = 0;

  constexpr BFloat16Impl() = default;

  /** Nearest bfloat16, ties to even. */
  static uint16_t ToUint16Impl(float v) noexcept {
    const uint32_t bits = detail::BitsOf(v);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FC1u;
    return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
  }

  float ToFloatImpl() const noexcept { return detail::FloatOf(static_cast<uint32_t>(val) << 16); }

  bool IsNegative() const noexcept { return static_cast<int16_t>(val) < 0; }
  bool IsNaN() const noexcept { return (val & 0x7FFFu) > 0x7F80u; }
  bool IsFinite() const noexcept { return (val & 0x7F80u) != 0x7F80u; }
  bool IsInfinity() const noexcept { return (val & 0x7FFFu) == 0x7F80u; }
  bool IsPositiveInfinity() const noexcept { return val == 0x7F80u; }
  bool IsNegativeInfinity() const noexcept { return val == 0xFF80u; }
  bool IsNaNOrZero() const noexcept { return IsNaN() || (val & 0x7FFFu) == 0; }
  bool IsNormal() const noexcept { return IsFinite() && (val & 0x7F80u) != 0; }
  bool IsSubnormal() const noexcept { return (val & 0x7F80u) == 0 && (val & 0x7Fu) != 0; }
  Derived Abs() const noexcept { return Derived::FromBits(val & 0x7FFFu); }
  Derived Negate() const noexcept {
    return IsNaN() ? Derived::FromBits(val)
                   : Derived::FromBits(static_cast<uint16_t>(val ^ 0x8000u));
  }
  /** Both are zero of either sign. */
  static bool AreZero(const BFloat16Impl& a, const BFloat16Impl& b) noexcept {
    return ((a.val | b.val) & 0x7FFFu) == 0;
  }
};

}  // namespace onnxruntime_float16
