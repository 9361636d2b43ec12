#include "cpu/norm/columns.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/norm/columns.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Columns in work at a time, and rows whose sum is taken before it is added to that of all: long
// sums in float lose less so.
constexpr size_t kColumnBlock = 128;
constexpr size_t kRowsPerSum = 64;

// Of the columns in work, by column.
struct ColumnSums {
  HWY_ALIGN float part[kColumnBlock];
  HWY_ALIGN float mean[kColumnBlock];
  HWY_ALIGN float factor[kColumnBlock];
};

// sums[j] = the sum of x[k][j], or of (x[k][j] - mean[j])^2 where kSquare, for j in [first, last).
template <bool kSquare, class D>
HWY_INLINE void SumColumns(D d, const ColumnNorm& a, const float* x, size_t first, size_t last,
                           ColumnSums& s, float* sums) {
  const size_t lanes = hn::Lanes(d);
  std::fill(sums + first, sums + last, 0.0f);
  for (size_t k = 0; k < a.size; k += kRowsPerSum) {
    std::fill(s.part + first, s.part + last, 0.0f);
    for (size_t r = k; r < std::min(a.size, k + kRowsPerSum); ++r) {
      for (size_t j = first; j < last; j += lanes) {
        const auto v = hn::LoadU(d, x + r * a.inner + j), part = hn::LoadU(d, s.part + j);
        if constexpr (kSquare) {
          const auto c = hn::Sub(v, hn::LoadU(d, s.mean + j));
          hn::StoreU(hn::MulAdd(c, c, part), d, s.part + j);
        } else {
          hn::StoreU(hn::Add(part, v), d, s.part + j);
        }
      }
    }
    for (size_t j = first; j < last; j += lanes) {
      hn::StoreU(hn::Add(hn::LoadU(d, sums + j), hn::LoadU(d, s.part + j)), d, sums + j);
    }
  }
}

// Columns [first, n) of those from `x` on, n <= kColumnBlock, as far as they fill vectors of D.
// Returns where it stopped.
template <class D>
HWY_INLINE size_t NormalizeBlock(D d, const ColumnNorm& a, const float* x, float* y, size_t first,
                                 size_t n, ColumnSums& s) {
  const size_t lanes = hn::Lanes(d);
  const size_t last = first + (n - first) / lanes * lanes;
  const auto count = hn::Set(d, static_cast<float>(a.size));
  SumColumns<false>(d, a, x, first, last, s, s.mean);
  for (size_t j = first; j < last; j += lanes) {
    hn::StoreU(hn::Div(hn::LoadU(d, s.mean + j), count), d, s.mean + j);
  }
  SumColumns<true>(d, a, x, first, last, s, s.factor);
  for (size_t j = first; j < last; j += lanes) {
    const auto variance = hn::Div(hn::LoadU(d, s.factor + j), count);
    const auto deviation = hn::Sqrt(hn::Add(variance, hn::Set(d, a.epsilon)));
    hn::StoreU(hn::Div(hn::Set(d, 1.0f), deviation), d, s.factor + j);
  }
  for (size_t k = 0; k < a.size; ++k) {
    const auto scale = hn::Set(d, a.scale[k]);
    const auto bias = hn::Set(d, a.bias == nullptr ? 0.0f : a.bias[k]);
    for (size_t j = first; j < last; j += lanes) {
      const auto c = hn::Sub(hn::LoadU(d, x + k * a.inner + j), hn::LoadU(d, s.mean + j));
      const auto v = hn::MulAdd(hn::Mul(c, hn::LoadU(d, s.factor + j)), scale, bias);
      hn::StoreU(v, d, y + k * a.inner + j);
    }
  }
  return last;
}

void Columns(const ColumnNorm& args, size_t begin, size_t end) {
  ColumnSums sums;
  for (size_t c = begin; c < end; c += kColumnBlock) {
    const size_t n = std::min(kColumnBlock, end - c);
    const float* x = args.x + c;
    float* y = args.y + c;
    const size_t done = NormalizeBlock(hn::ScalableTag<float>(), args, x, y, 0, n, sums);
    NormalizeBlock(hn::CappedTag<float, 1>(), args, x, y, done, n, sums);
  }
}

constexpr NormalizeColumnsFn kColumns = Columns;

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

NormalizeColumnsFn NormalizeColumns(SimdTarget target) { WB_SIMD_TABLE(target, kColumns) }

}  // namespace waybill::cpu
#endif
