// The loop under every instruction. Include it after cpu/simd/highway.h; it is read once per
// target.

#if defined(WAYBILL_CPU_TILE_APPLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_TILE_APPLY_INL_H_
#undef WAYBILL_CPU_TILE_APPLY_INL_H_
#else
#define WAYBILL_CPU_TILE_APPLY_INL_H_
#endif

#include "cpu/tile/ops.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Op::Do(d, a, b, c) on vectors. An argument whose bit is set in kScalars is one number. The last
// elements go through a buffer of one vector, so they are computed as all others.
template <class Op, size_t kArity, unsigned kScalars>
void Apply(const float* a, const float* b, const float* c, float* out, size_t n) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  constexpr bool kA = (kScalars & 1) != 0, kB = (kScalars & 2) != 0, kC = (kScalars & 4) != 0;
  const V a0 = hn::Set(d, kA ? *a : 0.0f);
  const V b0 = hn::Set(d, kB ? *b : 0.0f);
  const V c0 = hn::Set(d, kC ? *c : 0.0f);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V av = kA ? a0 : hn::LoadU(d, a + i);
    const V bv = kB || kArity < 2 ? b0 : hn::LoadU(d, b + i);
    const V cv = kC || kArity < 3 ? c0 : hn::LoadU(d, c + i);
    hn::StoreU(Op::Do(d, av, bv, cv), d, out + i);
  }
  if (i == n) return;
  HWY_ALIGN float rest[4][hn::MaxLanes(hn::ScalableTag<float>())] = {};
  for (size_t j = 0; j < n - i; ++j) {
    if (!kA) rest[0][j] = a[i + j];
    if (!kB && kArity >= 2) rest[1][j] = b[i + j];
    if (!kC && kArity >= 3) rest[2][j] = c[i + j];
  }
  const V av = kA ? a0 : hn::Load(d, rest[0]);
  const V bv = kB || kArity < 2 ? b0 : hn::Load(d, rest[1]);
  const V cv = kC || kArity < 3 ? c0 : hn::Load(d, rest[2]);
  hn::Store(Op::Do(d, av, bv, cv), d, rest[3]);
  for (size_t j = 0; j < n - i; ++j) out[i + j] = rest[3][j];
}

template <class Op>
constexpr TileFunctions kOneArgument = {{Apply<Op, 1, 0>}};
template <class Op>
constexpr TileFunctions kTwoArguments = {{Apply<Op, 2, 0>, Apply<Op, 2, 1>, Apply<Op, 2, 2>}};
template <class Op>
constexpr TileFunctions kThreeArguments = {{Apply<Op, 3, 0>, Apply<Op, 3, 1>, Apply<Op, 3, 2>,
                                            Apply<Op, 3, 3>, Apply<Op, 3, 4>, Apply<Op, 3, 5>,
                                            Apply<Op, 3, 6>}};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// An operation as a type for Apply.
#define WB_TILE_OP(Name, expression)                                                         \
  struct Name {                                                                              \
    template <class D, class V>                                                              \
    static HWY_INLINE V Do([[maybe_unused]] D d, [[maybe_unused]] V a, [[maybe_unused]] V b, \
                           [[maybe_unused]] V c) {                                           \
      return expression;                                                                     \
    }                                                                                        \
  };

#endif
