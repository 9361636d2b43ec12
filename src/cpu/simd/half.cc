#include "cpu/simd/half.h"

#include <cstring>

#include "tensor/dtype/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/simd/half.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Only these have conversion instructions; elsewhere Highway's would not round.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
#define WB_HALF_VECTORS 1
#else
#define WB_HALF_VECTORS 0
#endif

#if WB_HALF_VECTORS

// The rest goes through whole vectors too: what becomes of a NaN must not depend on its place.
template <class Fn, typename In, typename Out>
HWY_INLINE void ForVectors(const Fn& fn, const In* in, Out* out, size_t n) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) fn(in + i, out + i);
  if (i == n) return;
  In rest[hn::MaxLanes(hn::ScalableTag<float>())] = {};
  Out made[hn::MaxLanes(hn::ScalableTag<float>())];
  std::memcpy(rest, in + i, (n - i) * sizeof(In));
  fn(rest, made);
  std::memcpy(out + i, made, (n - i) * sizeof(Out));
}

void HalfToFloat(const uint16_t* in, float* out, size_t n) {
  const auto one = [](const uint16_t* from, float* to) HWY_ATTR {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    const auto halves = hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from));
    hn::StoreU(hn::PromoteTo(d, halves), d, to);
  };
  ForVectors(one, in, out, n);
}

void FloatToHalf(const float* in, uint16_t* out, size_t n) {
  const auto one = [](const float* from, uint16_t* to) HWY_ATTR {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    hn::StoreU(hn::DemoteTo(dh, hn::LoadU(d, from)), dh, reinterpret_cast<hwy::float16_t*>(to));
  };
  ForVectors(one, in, out, n);
}

#else

void HalfToFloat(const uint16_t* in, float* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = Half::FromBits(in[i]).ToFloat();
}

void FloatToHalf(const float* in, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = Half(in[i]).bits;
}

#endif

#undef WB_HALF_VECTORS

constexpr HalfTable kHalfTable = {HalfToFloat, FloatToHalf};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const HalfTable& HalfFunctions(SimdTarget target) { WB_SIMD_TABLE(target, kHalfTable) }

}  // namespace waybill::cpu
#endif
