#include <algorithm>
#include <limits>

#include "cpu/reduce/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/reduce/arg_extreme.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether x takes the place of `best`, which came before it. NaN beats all numbers.
template <bool kSmallest, bool kLast, class V>
HWY_INLINE auto Beats(V x, V best) {
  if constexpr (kLast) {
    const auto better = kSmallest ? hn::Le(x, best) : hn::Ge(x, best);
    return hn::Or(hn::And(better, hn::Eq(best, best)), hn::IsNaN(x));
  } else {
    const auto better = kSmallest ? hn::Lt(x, best) : hn::Gt(x, best);
    return hn::Or(better, hn::And(hn::IsNaN(x), hn::Eq(best, best)));
  }
}

// Places are counted in int32, in vectors beside the numbers.
template <bool kSmallest, bool kLast, class D>
HWY_INLINE size_t ArgBlock(D d, const float* x, size_t size, size_t inner, size_t begin, size_t n,
                           int64_t* places) {
  const hn::RebindToSigned<D> di;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN int32_t found[hn::MaxLanes(hn::ScalableTag<float>())];
  size_t j = begin;
  for (; j + lanes <= n; j += lanes) {
    auto best = hn::LoadU(d, x + j);
    auto place = hn::Zero(di);
    for (size_t k = 1; k < size; ++k) {
      const auto v = hn::LoadU(d, x + k * inner + j);
      const auto beats = Beats<kSmallest, kLast>(v, best);
      best = hn::IfThenElse(beats, v, best);
      place =
          hn::IfThenElse(hn::RebindMask(di, beats), hn::Set(di, static_cast<int32_t>(k)), place);
    }
    hn::Store(place, di, found);
    for (size_t i = 0; i < lanes; ++i) places[j + i] = found[i];
  }
  return j;
}

template <bool kSmallest, bool kLast>
void ArgColumnsOf(const float* x, size_t size, size_t inner, size_t begin, size_t end,
                  int64_t* places) {
  const size_t done =
      ArgBlock<kSmallest, kLast>(hn::ScalableTag<float>(), x, size, inner, begin, end, places);
  ArgBlock<kSmallest, kLast>(hn::CappedTag<float, 1>(), x, size, inner, done, end, places);
}

void ArgColumns(const float* x, size_t size, size_t inner, size_t begin, size_t end, bool smallest,
                bool last, int64_t* places) {
  if (smallest) {
    if (last) return ArgColumnsOf<true, true>(x, size, inner, begin, end, places);
    return ArgColumnsOf<true, false>(x, size, inner, begin, end, places);
  }
  if (last) return ArgColumnsOf<false, true>(x, size, inner, begin, end, places);
  ArgColumnsOf<false, false>(x, size, inner, begin, end, places);
}

template <bool kSmallest, bool kLast>
bool BeatsNumber(float x, float best) {
  const hn::CappedTag<float, 1> d;
  return hn::AllTrue(d, Beats<kSmallest, kLast>(hn::Set(d, x), hn::Set(d, best)));
}

// A row is a matrix of `lanes` columns whose winners then meet: the first (last) place of equal
// ones wins.
template <bool kSmallest, bool kLast>
size_t ArgRowOf(const float* x, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t steps = n / lanes;
  size_t best = 0, i = 0;
  if (steps > 1) {
    int64_t places[hn::MaxLanes(hn::ScalableTag<float>())];
    ArgBlock<kSmallest, kLast>(d, x, steps, lanes, 0, lanes, places);
    best = static_cast<size_t>(places[0]) * lanes;
    for (size_t k = 1; k < lanes; ++k) {
      const size_t place = static_cast<size_t>(places[k]) * lanes + k;
      const bool before = place < best;
      // The one that came first is asked whether the other takes its place.
      const bool wins = before ? !BeatsNumber<kSmallest, kLast>(x[best], x[place])
                               : BeatsNumber<kSmallest, kLast>(x[place], x[best]);
      if (wins) best = place;
    }
    i = steps * lanes;
  }
  for (; i < n; ++i) {
    if (i != best && BeatsNumber<kSmallest, kLast>(x[i], x[best])) best = i;
  }
  return best;
}

size_t ArgRow(const float* x, size_t n, bool smallest, bool last) {
  if (smallest) return last ? ArgRowOf<true, true>(x, n) : ArgRowOf<true, false>(x, n);
  return last ? ArgRowOf<false, true>(x, n) : ArgRowOf<false, false>(x, n);
}

constexpr ArgTable kArgTable = {ArgRow, ArgColumns};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const ArgTable& ArgExtremes(SimdTarget target) { WB_SIMD_TABLE(target, kArgTable) }

}  // namespace waybill::cpu
#endif
