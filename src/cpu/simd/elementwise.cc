#include "cpu/simd/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/simd/elementwise.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct AddOp {
  template <class V>
  static HWY_INLINE V Do(V a, V b) {
    return hn::Add(a, b);
  }
};
struct SubOp {
  template <class V>
  static HWY_INLINE V Do(V a, V b) {
    return hn::Sub(a, b);
  }
};
struct MulOp {
  template <class V>
  static HWY_INLINE V Do(V a, V b) {
    return hn::Mul(a, b);
  }
};
struct DivOp {
  template <class V>
  static HWY_INLINE V Do(V a, V b) {
    return hn::Div(a, b);
  }
};
struct ReluOp {
  template <class V>
  static HWY_INLINE V Do(V x) {
    const hn::DFromV<V> d;
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  }
};

enum class Mode { kBoth, kBScalar, kAScalar };

// One step of N lanes at `i`, and the steps of [i, n) that fit. Returns where it stopped.
template <class Op, Mode kMode, class D>
HWY_INLINE size_t BinarySpan(D d, const float* a, const float* b, float* out, size_t i, size_t n) {
  using V = hn::Vec<D>;
  const size_t lanes = hn::Lanes(d);
  const V a0 = hn::Set(d, kMode == Mode::kAScalar ? a[0] : 0.0f);
  const V b0 = hn::Set(d, kMode == Mode::kBScalar ? b[0] : 0.0f);
  for (; i + lanes <= n; i += lanes) {
    const V av = kMode == Mode::kAScalar ? a0 : hn::LoadU(d, a + i);
    const V bv = kMode == Mode::kBScalar ? b0 : hn::LoadU(d, b + i);
    hn::StoreU(Op::Do(av, bv), d, out + i);
  }
  return i;
}

template <class Op, Mode kMode>
void Binary(const float* a, const float* b, float* out, size_t n) {
  if (n == 0) return;
  const size_t done = BinarySpan<Op, kMode>(hn::ScalableTag<float>(), a, b, out, 0, n);
  BinarySpan<Op, kMode>(hn::CappedTag<float, 1>(), a, b, out, done, n);
}

template <class Op, class D>
HWY_INLINE size_t UnarySpan(D d, const float* x, float* out, size_t i, size_t n) {
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= n; i += lanes) hn::StoreU(Op::Do(hn::LoadU(d, x + i)), d, out + i);
  return i;
}

template <class Op>
void Unary(const float* x, float* out, size_t n) {
  const size_t done = UnarySpan<Op>(hn::ScalableTag<float>(), x, out, 0, n);
  UnarySpan<Op>(hn::CappedTag<float, 1>(), x, out, done, n);
}

template <class Op>
constexpr BinaryF32 kBinary = {Binary<Op, Mode::kBoth>, Binary<Op, Mode::kBScalar>,
                               Binary<Op, Mode::kAScalar>};

constexpr ElementwiseF32Table kElementwiseF32 = {kBinary<AddOp>, kBinary<SubOp>, kBinary<MulOp>,
                                                 kBinary<DivOp>, Unary<ReluOp>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const ElementwiseF32Table& ElementwiseF32(SimdTarget target) {
  WB_SIMD_TABLE(target, kElementwiseF32)
}

}  // namespace waybill::cpu
#endif
