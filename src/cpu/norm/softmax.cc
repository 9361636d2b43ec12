#include "cpu/norm/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/norm/softmax.cc"
#include "cpu/simd/highway.h"
// Behind Highway's own headers.
#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

constexpr float kMinusInf = -std::numeric_limits<float>::infinity();
constexpr size_t kMaxLanes = hn::MaxLanes(hn::ScalableTag<float>());
constexpr size_t kColumnBlock = 128;

// `n` numbers below a full vector, the rest minus infinity: neutral for maxima and exponentials.
template <class D>
WB_LARGE_INLINE hn::Vec<D> LoadRest(D d, const float* x, size_t n) {
  HWY_ALIGN float rest[kMaxLanes];
  std::fill_n(rest, hn::Lanes(d), kMinusInf);
  std::copy_n(x, n, rest);
  return hn::Load(d, rest);
}
template <class D, class V>
WB_LARGE_INLINE void StoreRest(D d, V v, float* y, size_t n) {
  HWY_ALIGN float rest[kMaxLanes];
  hn::Store(v, d, rest);
  std::copy_n(rest, n, y);
}

// NaN may get lost here; it comes back with the exponentials.
template <class D>
WB_LARGE_INLINE hn::Vec<D> RowMax(D d, const float* x, size_t n) {
  const size_t lanes = hn::Lanes(d);
  auto m0 = hn::Set(d, kMinusInf), m1 = m0;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    m1 = hn::Max(m1, hn::LoadU(d, x + i + lanes));
  }
  if (i + lanes <= n) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    i += lanes;
  }
  if (i < n) m1 = hn::Max(m1, LoadRest(d, x + i, n - i));
  return hn::MaxOfLanes(d, hn::Max(m0, m1));
}

// The sum of exp(x - max); stored to y where kStore.
template <bool kStore, class D>
WB_LARGE_INLINE hn::Vec<D> RowExpSum(D d, const float* x, float* y, size_t n, hn::Vec<D> max) {
  const size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto e0 = ExpOfNegative(d, hn::Sub(hn::LoadU(d, x + i), max));
    const auto e1 = ExpOfNegative(d, hn::Sub(hn::LoadU(d, x + i + lanes), max));
    s0 = hn::Add(s0, e0);
    s1 = hn::Add(s1, e1);
    if (kStore) hn::StoreU(e0, d, y + i);
    if (kStore) hn::StoreU(e1, d, y + i + lanes);
  }
  if (i + lanes <= n) {
    const auto e = ExpOfNegative(d, hn::Sub(hn::LoadU(d, x + i), max));
    s0 = hn::Add(s0, e);
    if (kStore) hn::StoreU(e, d, y + i);
    i += lanes;
  }
  if (i < n) {
    const auto e = ExpOfNegative(d, hn::Sub(LoadRest(d, x + i, n - i), max));
    s1 = hn::Add(s1, e);
    if (kStore) StoreRest(d, e, y + i, n - i);
  }
  return hn::SumOfLanes(d, hn::Add(s0, s1));
}

void SoftmaxRows(const float* x, float* y, size_t rows, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < rows; ++r, x += n, y += n) {
    const auto max = RowMax(d, x, n);
    const auto scale = hn::Div(hn::Set(d, 1.0f), RowExpSum<true>(d, x, y, n, max));
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      hn::StoreU(hn::Mul(hn::LoadU(d, y + i), scale), d, y + i);
    }
    for (const float factor = hn::GetLane(scale); i < n; ++i) y[i] *= factor;
  }
}

void LogSoftmaxRows(const float* x, float* y, size_t rows, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < rows; ++r, x += n, y += n) {
    const auto max = RowMax(d, x, n);
    const auto log = Log(d, RowExpSum<false>(d, x, y, n, max));
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, x + i), max), log), d, y + i);
    }
    const float max_number = hn::GetLane(max), log_number = hn::GetLane(log);
    for (; i < n; ++i) y[i] = x[i] - max_number - log_number;
  }
}

// Columns [0, n) of the matrix, n <= kColumnBlock, by vectors of D from column `begin` on. Returns
// where it stopped.
template <bool kLog, class D>
WB_LARGE_INLINE size_t SoftmaxBlock(D d, const float* x, float* y, size_t size, size_t inner,
                                    size_t begin, size_t n) {
  const size_t lanes = hn::Lanes(d);
  const size_t end = begin + (n - begin) / lanes * lanes;
  HWY_ALIGN float max[kColumnBlock], sum[kColumnBlock];
  for (size_t j = begin; j < end; ++j) {
    max[j] = kMinusInf;
    sum[j] = 0;
  }
  for (size_t k = 0; k < size; ++k) {
    for (size_t j = begin; j < end; j += lanes) {
      hn::StoreU(hn::Max(hn::LoadU(d, max + j), hn::LoadU(d, x + k * inner + j)), d, max + j);
    }
  }
  for (size_t k = 0; k < size; ++k) {
    for (size_t j = begin; j < end; j += lanes) {
      const auto shifted = hn::Sub(hn::LoadU(d, x + k * inner + j), hn::LoadU(d, max + j));
      const auto e = ExpOfNegative(d, shifted);
      hn::StoreU(hn::Add(hn::LoadU(d, sum + j), e), d, sum + j);
      hn::StoreU(kLog ? shifted : e, d, y + k * inner + j);
    }
  }
  for (size_t j = begin; j < end; j += lanes) {
    const auto s = hn::LoadU(d, sum + j);
    hn::StoreU(kLog ? Log(d, s) : hn::Div(hn::Set(d, 1.0f), s), d, sum + j);
  }
  for (size_t k = 0; k < size; ++k) {
    for (size_t j = begin; j < end; j += lanes) {
      const auto v = hn::LoadU(d, y + k * inner + j), s = hn::LoadU(d, sum + j);
      hn::StoreU(kLog ? hn::Sub(v, s) : hn::Mul(v, s), d, y + k * inner + j);
    }
  }
  return end;
}

template <bool kLog>
void Columns(const float* x, float* y, size_t size, size_t inner, size_t begin, size_t end) {
  for (size_t c = begin; c < end; c += kColumnBlock) {
    const size_t n = std::min(kColumnBlock, end - c);
    const size_t done =
        SoftmaxBlock<kLog>(hn::ScalableTag<float>(), x + c, y + c, size, inner, 0, n);
    SoftmaxBlock<kLog>(hn::CappedTag<float, 1>(), x + c, y + c, size, inner, done, n);
  }
}

constexpr SoftmaxTable kSoftmaxTable = {{SoftmaxRows, Columns<false>},
                                        {LogSoftmaxRows, Columns<true>}};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const SoftmaxTable& Softmax(SimdTarget target) { WB_SIMD_TABLE(target, kSoftmaxTable) }

}  // namespace waybill::cpu
#endif
