// Which of Highway's targets no kernel is compiled for; to be included before Highway.
#pragma once

// SSSE3 CPUs are rare enough for plain code. AVX3_DL asks for instructions that its CPUs need not
// have. SVE vectors can not be held in arrays, which the GEMM tiles need.
#define WB_NEVER_TARGETS_ \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// Sanitizers look at one vector length and at plain code: the others repeat the same source.
#ifdef WAYBILL_FEW_TARGETS
#define HWY_DISABLED_TARGETS (WB_NEVER_TARGETS_ | HWY_SSE4 | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS WB_NEVER_TARGETS_
#endif
