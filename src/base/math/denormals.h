// Whether the calling thread takes and makes denormal numbers as zeros.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace waybill {

#if defined(__SSE2__) || defined(__aarch64__)
inline constexpr bool kDenormalsCanBeZero = true;
#else
inline constexpr bool kDenormalsCanBeZero = false;
#endif

namespace denormals_internal {

#if defined(__SSE2__)
inline constexpr uint32_t kZeroBits = 0x8040;  // results to zero, operands as zero
inline uint32_t Read() { return _mm_getcsr(); }
inline void Write(uint32_t bits) { _mm_setcsr(bits); }
#elif defined(__aarch64__)
inline constexpr uint64_t kZeroBits = uint64_t{1} << 24;
inline uint64_t Read() {
  uint64_t bits;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}
inline void Write(uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
inline constexpr uint32_t kZeroBits = 0;
inline uint32_t Read() { return 1; }
inline void Write(uint32_t) {}
#endif

}  // namespace denormals_internal

inline bool DenormalsAreZero() {
  using namespace denormals_internal;  // NOLINT
  return kZeroBits != 0 && (Read() & kZeroBits) == kZeroBits;
}

// Sets this thread's mode for a while. Costs a register's reading where it is already so.
class DenormalScope {
 public:
  explicit DenormalScope(bool zero) : changed_(zero != DenormalsAreZero()), zero_(zero) {
    if (changed_) Set(zero_);
  }
  ~DenormalScope() {
    if (changed_) Set(!zero_);
  }
  DenormalScope(const DenormalScope&) = delete;
  DenormalScope& operator=(const DenormalScope&) = delete;

 private:
  static void Set(bool zero) {
    using namespace denormals_internal;  // NOLINT
    Write(zero ? Read() | kZeroBits : Read() & ~kZeroBits);
  }

  const bool changed_, zero_;
};

}  // namespace waybill
