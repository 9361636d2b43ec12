// Include this in a SIMD file instead of Highway's own headers, after every other header:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "cpu/simd/x.cc"
//   #include "cpu/simd/highway.h"
//   HWY_BEFORE_NAMESPACE();
//   namespace waybill::cpu::HWY_NAMESPACE { ... constexpr XTable kXTable = {...}; }
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   namespace waybill::cpu {
//   const XTable& XKernels(SimdTarget target) { WB_SIMD_TABLE(target, kXTable) }
//   }
//   #endif
//
// Highway is used as headers alone: HWY_EXPORT and HWY_DYNAMIC_DISPATCH need its library, so the
// choice of the target is ours. There is no include guard: the file runs once per target.

#include "cpu/simd/disabled_targets.h"
// Highway's headers must come after that, in this order.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Sanitizers take minutes over what is unrolled by hand, and over large functions inlined in many
// places.
#undef WB_LARGE_INLINE
#ifdef WAYBILL_FEW_TARGETS
#undef HWY_UNROLL
#define HWY_UNROLL(count)
#define WB_LARGE_INLINE inline HWY_NOINLINE
#else
#define WB_LARGE_INLINE HWY_INLINE
#endif

#ifndef WB_SIMD_TABLE
#if HWY_TARGETS & HWY_AVX3
#define WB_SIMD_IF_AVX3_(x) x
#else
#define WB_SIMD_IF_AVX3_(x)
#endif
#if HWY_TARGETS & HWY_AVX2
#define WB_SIMD_IF_AVX2_(x) x
#else
#define WB_SIMD_IF_AVX2_(x)
#endif
#if HWY_TARGETS & HWY_SSE4
#define WB_SIMD_IF_SSE4_(x) x
#else
#define WB_SIMD_IF_SSE4_(x)
#endif

// The body of a function that returns the table of a target; the baseline's where the build has
// none for it.
#define WB_SIMD_TABLE(target, table)                                 \
  switch (target) {                                                  \
    WB_SIMD_IF_AVX3_(case SimdTarget::kAvx3 : return N_AVX3::table;) \
    WB_SIMD_IF_AVX2_(case SimdTarget::kAvx2 : return N_AVX2::table;) \
    WB_SIMD_IF_SSE4_(case SimdTarget::kSse4 : return N_SSE4::table;) \
    default:                                                         \
      return HWY_STATIC_DISPATCH(table);                             \
  }
#endif
