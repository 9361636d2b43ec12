#include "cpu/pool/pool_rows.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pool/pool_rows.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct MaxOp {
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  template <class V>
  static HWY_INLINE V Do(V best, V v) {
    return hn::IfThenElse(hn::Or(hn::Gt(v, best), hn::IsNaN(v)), v, best);
  }
  static float One(float best, float v) { return v > best || v != v ? v : best; }
};
struct AddOp {
  static constexpr float kStart = 0;
  template <class V>
  static HWY_INLINE V Do(V sum, V v) {
    return hn::Add(sum, v);
  }
  static float One(float sum, float v) { return sum + v; }
};

template <class Op>
void Combine(float* to, const float* x, size_t stride, size_t n) {
  const hn::ScalableTag<float> d;
  size_t i = 0;
  if (stride == 1) {
    for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
      hn::StoreU(Op::Do(hn::LoadU(d, to + i), hn::LoadU(d, x + i)), d, to + i);
    }
  }
  for (; i < n; ++i) to[i] = Op::One(to[i], x[i * stride]);
}

template <class Op>
float Reduce(const float* x, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Set(d, Op::kStart), b = a, c = a, e = a;
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = Op::Do(a, hn::LoadU(d, x + i));
    b = Op::Do(b, hn::LoadU(d, x + i + lanes));
    c = Op::Do(c, hn::LoadU(d, x + i + 2 * lanes));
    e = Op::Do(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a = Op::Do(a, hn::LoadU(d, x + i));
  HWY_ALIGN float parts[hn::MaxLanes(d)];
  hn::Store(Op::Do(Op::Do(a, b), Op::Do(c, e)), d, parts);
  float total = Op::kStart;
  for (size_t k = 0; k < lanes; ++k) total = Op::One(total, parts[k]);
  for (; i < n; ++i) total = Op::One(total, x[i]);
  return total;
}

constexpr PoolRows kPoolRows = {Combine<MaxOp>, Combine<AddOp>, Reduce<MaxOp>, Reduce<AddOp>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const PoolRows& PoolRowFunctions(SimdTarget target) { WB_SIMD_TABLE(target, kPoolRows) }

}  // namespace waybill::cpu
#endif
