// Loads and stores of the first lanes of a vector, touching nothing behind them. Include after
// "cpu/simd/highway.h".
#if defined(WAYBILL_CPU_SIMD_PARTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_SIMD_PARTIAL_INL_H_
#undef WAYBILL_CPU_SIMD_PARTIAL_INL_H_
#else
#define WAYBILL_CPU_SIMD_PARTIAL_INL_H_
#endif

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

// Highway's masked loads and stores touch whole vectors except where the CPU has masks.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#define WB_HAS_TRUE_MASKS 1
#else
#define WB_HAS_TRUE_MASKS 0
#endif

// The other lanes are zero. `count` is below the number of lanes.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> LoadFirst(D d, const float* from, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if WB_HAS_TRUE_MASKS
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(d)] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#endif
}

template <class D>
HWY_INLINE void StoreFirst(D d, hwy::HWY_NAMESPACE::Vec<D> v, float* to, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if WB_HAS_TRUE_MASKS
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
#endif
}

#undef WB_HAS_TRUE_MASKS

// min(max(v, low), high); NaN stays.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> ClampKeepingNan(D, hwy::HWY_NAMESPACE::Vec<D> v,
                                                      hwy::HWY_NAMESPACE::Vec<D> low,
                                                      hwy::HWY_NAMESPACE::Vec<D> high) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  // The instructions return their second operand when one is NaN.
  return hn::Min(high, hn::Max(low, v));
#else
  const auto raised = hn::IfThenElse(hn::Lt(v, low), low, v);
  return hn::IfThenElse(hn::Gt(raised, high), high, raised);
#endif
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
