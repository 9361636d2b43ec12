// Size arithmetic that says when it overflows. Sizes come from files and callers, so every product
// and sum of them goes through here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace waybill {

// a * b, or nothing when it does not fit.
template <typename T>
constexpr std::optional<T> CheckedMul(T a, T b) {
  T out{};
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// a + b, or nothing when it does not fit.
template <typename T>
constexpr std::optional<T> CheckedAdd(T a, T b) {
  T out{};
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// `value` rounded up to a multiple of `align` (a power of two), or nothing when it does not fit.
constexpr std::optional<size_t> CheckedAlignUp(size_t value, size_t align) {
  const auto sum = CheckedAdd(value, align - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(align - 1);
}

// As CheckedAlignUp, for values that were checked before.
constexpr size_t AlignUp(size_t value, size_t align) { return (value + align - 1) & ~(align - 1); }

constexpr bool IsPowerOfTwo(size_t value) { return std::has_single_bit(value); }

// Quotient rounded up; `b` > 0.
template <typename T>
constexpr T CeilDiv(T a, T b) {
  return a / b + (a % b != 0);
}

}  // namespace waybill
