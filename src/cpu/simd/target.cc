#include "cpu/simd/target.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "cpu/simd/disabled_targets.h"
#include "cpu/simd/target_limit.h"
// After the list of what is left out.
#include <hwy/detect_targets.h>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace waybill::cpu {
namespace {

struct TargetList {
  std::array<SimdTarget, 4> targets = {SimdTarget::kBaseline};
  size_t count = 1;

  void Add(SimdTarget target) { targets[count++] = target; }
};

#if HWY_ARCH_X86
struct CpuId {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

CpuId ReadCpuId(unsigned leaf) {
  CpuId id;
  if (__get_cpuid_count(leaf, 0, &id.a, &id.b, &id.c, &id.d) == 0) return {};
  return id;
}

// Register sets that the system saves on a thread switch (XCR0).
unsigned SavedState() {
  unsigned low = 0;
  unsigned high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool HasAll(unsigned word, unsigned bits) { return (word & bits) == bits; }

TargetList Detect() {
  TargetList list;
  const CpuId leaf1 = ReadCpuId(1);
  const CpuId leaf7 = ReadCpuId(7);
  constexpr unsigned kSse4 = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_PCLMUL | bit_AES;
  if (!HasAll(leaf1.c, kSse4)) return list;
  if ((HWY_TARGETS & HWY_SSE4) != 0) list.Add(SimdTarget::kSse4);

  constexpr unsigned kAvxState = 0x6;      // XMM and YMM
  constexpr unsigned kAvx512State = 0xE6;  // and masks and ZMM
  if (!HasAll(leaf1.c, bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C)) return list;
  const unsigned saved = SavedState();
  if (!HasAll(leaf7.b, bit_AVX2 | bit_BMI | bit_BMI2) || !HasAll(saved, kAvxState)) return list;
  if ((HWY_TARGETS & HWY_AVX2) != 0) list.Add(SimdTarget::kAvx2);

  constexpr unsigned kAvx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  if (!HasAll(leaf7.b, kAvx512) || !HasAll(saved, kAvx512State)) return list;
  if ((HWY_TARGETS & HWY_AVX3) != 0) list.Add(SimdTarget::kAvx3);
  return list;
}
#else
TargetList Detect() { return {}; }
#endif

const TargetList& Targets() {
  static const TargetList list = Detect();
  return list;
}

std::atomic<SimdTarget> limit{SimdTarget::kAvx3};

}  // namespace

std::string_view SimdTargetName(SimdTarget target) {
  switch (target) {
    case SimdTarget::kBaseline:
      return "baseline";
    case SimdTarget::kSse4:
      return "sse4";
    case SimdTarget::kAvx2:
      return "avx2";
    case SimdTarget::kAvx3:
      return "avx512";
  }
  return "unknown";
}

std::span<const SimdTarget> AvailableTargets() {
  const TargetList& list = Targets();
  return std::span(list.targets).first(list.count);
}

SimdTarget BestTarget() {
  const SimdTarget most = limit.load(std::memory_order_relaxed);
  const auto targets = AvailableTargets();
  return *std::find_if(targets.rbegin(), targets.rend() - 1,
                       [&](SimdTarget target) { return target <= most; });
}

TargetLimit::TargetLimit(SimdTarget most) : before_(limit.exchange(most)) {}
TargetLimit::~TargetLimit() { limit.store(before_); }

}  // namespace waybill::cpu
