// Copies of runs whose size is known only at run time, without a library call for short ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace waybill::cpu {

// A run of kBytes to 2 * kBytes bytes: two moves, which may overlap.
template <size_t kBytes>
inline void CopyRunOf(std::byte* dst, const std::byte* src, size_t bytes) {
  std::byte head[kBytes], tail[kBytes];
  std::memcpy(head, src, kBytes);
  std::memcpy(tail, src + bytes - kBytes, kBytes);
  std::memcpy(dst, head, kBytes);
  std::memcpy(dst + bytes - kBytes, tail, kBytes);
}

// Calls fn(copy), where copy(dst, src) copies one run of `bytes`, chosen once for many runs.
template <typename Fn>
inline void WithRunCopy(size_t bytes, const Fn& fn) {
  using Dst = std::byte*;
  using Src = const std::byte*;
  if (bytes > 64) {
    fn([bytes](Dst dst, Src src) { std::memcpy(dst, src, bytes); });
  } else if (bytes > 32) {
    fn([bytes](Dst dst, Src src) { CopyRunOf<32>(dst, src, bytes); });
  } else if (bytes >= 16) {
    fn([bytes](Dst dst, Src src) { CopyRunOf<16>(dst, src, bytes); });
  } else if (bytes >= 8) {
    fn([bytes](Dst dst, Src src) { CopyRunOf<8>(dst, src, bytes); });
  } else if (bytes >= 4) {
    fn([bytes](Dst dst, Src src) { CopyRunOf<4>(dst, src, bytes); });
  } else if (bytes >= 2) {
    fn([bytes](Dst dst, Src src) { CopyRunOf<2>(dst, src, bytes); });
  } else if (bytes == 1) {
    fn([](Dst dst, Src src) { *dst = *src; });
  }
}

// memcpy for non-overlapping runs of any size.
inline void CopyRun(std::byte* dst, const std::byte* src, size_t bytes) {
  WithRunCopy(bytes, [&](const auto& copy) { copy(dst, src); });
}

}  // namespace waybill::cpu
