// Elements of 4 and 2 bits in packed tensors (element 0 in the low bits of byte 0), and one pair
// of functions that reads and writes element i of any type, packed or not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype/types.h"

namespace waybill {

// The raw code of element `i`; kBits is 4 or 2.
template <int kBits>
inline uint8_t GetPackedBits(const std::byte* data, size_t i) {
  static_assert(kBits == 4 || kBits == 2);
  constexpr size_t kPerByte = 8 / kBits;
  const auto shift = static_cast<unsigned>(i % kPerByte) * kBits;
  return static_cast<uint8_t>((std::to_integer<unsigned>(data[i / kPerByte]) >> shift) &
                              ((1u << kBits) - 1));
}

// Writes the low kBits of `code` as element `i` and leaves its neighbours. Two threads must not
// write elements of one byte at the same time.
template <int kBits>
inline void SetPackedBits(std::byte* data, size_t i, uint8_t code) {
  static_assert(kBits == 4 || kBits == 2);
  constexpr size_t kPerByte = 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  const auto shift = static_cast<unsigned>(i % kPerByte) * kBits;
  std::byte& byte = data[i / kPerByte];
  const unsigned others = std::to_integer<unsigned>(byte) & ~(kMask << shift);
  byte = static_cast<std::byte>(others | (code & kMask) << shift);
}

namespace dtype_internal {
template <typename T>
inline constexpr int kPackedBits = 0;
template <>
inline constexpr int kPackedBits<I4> = 4;
template <>
inline constexpr int kPackedBits<U4> = 4;
template <>
inline constexpr int kPackedBits<F4E2M1> = 4;
template <>
inline constexpr int kPackedBits<I2> = 2;
template <>
inline constexpr int kPackedBits<U2> = 2;
}  // namespace dtype_internal

// Whether tensors pack several T into a byte, so that no T* into them exists.
template <typename T>
inline constexpr bool kIsPacked = dtype_internal::kPackedBits<T> != 0;

// Element `i` of a tensor of T at `data` (aligned for T unless packed).
template <typename T>
inline T LoadElement(const std::byte* data, size_t i) {
  if constexpr (kIsPacked<T>) {
    return T::FromBits(GetPackedBits<dtype_internal::kPackedBits<T>>(data, i));
  } else {
    return reinterpret_cast<const T*>(data)[i];
  }
}
template <typename T>
inline void StoreElement(std::byte* data, size_t i, const T& value) {
  if constexpr (kIsPacked<T>) {
    SetPackedBits<dtype_internal::kPackedBits<T>>(data, i, value.bits);
  } else {
    reinterpret_cast<T*>(data)[i] = value;
  }
}

}  // namespace waybill
