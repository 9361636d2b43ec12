#include "cpu/norm/normalize.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/norm/normalize.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kPieceElems = 4096;

template <bool kSquare, class V>
HWY_INLINE V Accumulate(V sum, V x, V mean) {
  if constexpr (kSquare) {
    const V c = hn::Sub(x, mean);
    return hn::MulAdd(c, c, sum);
  } else {
    return hn::Add(sum, x);
  }
}

// The sum of x, or of (x - mean)^2 where kSquare, of one piece.
template <bool kSquare>
HWY_INLINE double SumPiece(const float* x, float mean_number, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto mean = hn::Set(d, mean_number);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = Accumulate<kSquare>(s0, hn::LoadU(d, x + i), mean);
    s1 = Accumulate<kSquare>(s1, hn::LoadU(d, x + i + lanes), mean);
    s2 = Accumulate<kSquare>(s2, hn::LoadU(d, x + i + 2 * lanes), mean);
    s3 = Accumulate<kSquare>(s3, hn::LoadU(d, x + i + 3 * lanes), mean);
  }
  for (; i + lanes <= n; i += lanes) s0 = Accumulate<kSquare>(s0, hn::LoadU(d, x + i), mean);
  const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  auto total = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  for (; i < n; ++i) {
    const double v = static_cast<double>(x[i]);
    const double c = v - static_cast<double>(mean_number);
    total += kSquare ? c * c : v;
  }
  return total;
}

template <bool kSquare>
double SumOf(const float* x, float mean, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i += kPieceElems) {
    sum += SumPiece<kSquare>(x + i, mean, std::min(kPieceElems, n - i));
  }
  return sum;
}
double Sum(const float* x, size_t n) { return SumOf<false>(x, 0, n); }
double Squares(const float* x, float mean, size_t n) { return SumOf<true>(x, mean, n); }

template <bool kHasScale, bool kHasBias, class D>
HWY_INLINE size_t ScaleSpan(D d, const float* x, float mean_number, float factor_number,
                            const float* scale, const float* bias, float* y, size_t i, size_t n) {
  const size_t lanes = hn::Lanes(d);
  const auto mean = hn::Set(d, mean_number), factor = hn::Set(d, factor_number);
  for (; i + lanes <= n; i += lanes) {
    auto v = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean), factor);
    if constexpr (kHasScale && kHasBias) {
      v = hn::MulAdd(v, hn::LoadU(d, scale + i), hn::LoadU(d, bias + i));
    } else if constexpr (kHasScale) {
      v = hn::Mul(v, hn::LoadU(d, scale + i));
    } else if constexpr (kHasBias) {
      v = hn::Add(v, hn::LoadU(d, bias + i));
    }
    hn::StoreU(v, d, y + i);
  }
  return i;
}

template <bool kHasScale, bool kHasBias>
void ScaleRow(const float* x, float mean, float factor, const float* scale, const float* bias,
              float* y, size_t n) {
  const size_t done = ScaleSpan<kHasScale, kHasBias>(hn::ScalableTag<float>(), x, mean, factor,
                                                     scale, bias, y, 0, n);
  ScaleSpan<kHasScale, kHasBias>(hn::CappedTag<float, 1>(), x, mean, factor, scale, bias, y, done,
                                 n);
}

void Scale(const float* x, float mean, float factor, const float* scale, const float* bias,
           float* y, size_t n) {
  if (scale != nullptr && bias != nullptr) {
    ScaleRow<true, true>(x, mean, factor, scale, bias, y, n);
  } else if (scale != nullptr) {
    ScaleRow<true, false>(x, mean, factor, scale, bias, y, n);
  } else if (bias != nullptr) {
    ScaleRow<false, true>(x, mean, factor, scale, bias, y, n);
  } else {
    ScaleRow<false, false>(x, mean, factor, scale, bias, y, n);
  }
}

template <class D>
HWY_INLINE size_t ShiftSpan(D d, const float* x, float mean_number, float factor_number,
                            float bias_number, float* y, size_t i, size_t n) {
  const size_t lanes = hn::Lanes(d);
  const auto mean = hn::Set(d, mean_number), factor = hn::Set(d, factor_number),
             bias = hn::Set(d, bias_number);
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::MulAdd(hn::Sub(hn::LoadU(d, x + i), mean), factor, bias), d, y + i);
  }
  return i;
}

void Shift(const float* x, float mean, float factor, float bias, float* y, size_t n) {
  const size_t done = ShiftSpan(hn::ScalableTag<float>(), x, mean, factor, bias, y, 0, n);
  ShiftSpan(hn::CappedTag<float, 1>(), x, mean, factor, bias, y, done, n);
}

template <bool kThree, class D>
HWY_INLINE size_t AddSpan(D d, const float* a, const float* b, const float* c, float* y, size_t i,
                          size_t n) {
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= n; i += lanes) {
    auto v = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    if constexpr (kThree) v = hn::Add(v, hn::LoadU(d, c + i));
    hn::StoreU(v, d, y + i);
  }
  return i;
}

template <bool kThree>
void AddRow(const float* a, const float* b, const float* c, float* y, size_t n) {
  const size_t done = AddSpan<kThree>(hn::ScalableTag<float>(), a, b, c, y, 0, n);
  AddSpan<kThree>(hn::CappedTag<float, 1>(), a, b, c, y, done, n);
}

void Add(const float* a, const float* b, const float* c, float* y, size_t n) {
  if (c == nullptr) return AddRow<false>(a, b, c, y, n);
  AddRow<true>(a, b, c, y, n);
}

constexpr NormalizeTable kNormalizeTable = {Sum, Squares, Scale, Shift, Add};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const NormalizeTable& Normalize(SimdTarget target){WB_SIMD_TABLE(target, kNormalizeTable)}

RowMoments
    MomentsOf(const NormalizeTable& table, const float* x, size_t n, bool centered, float epsilon) {
  RowMoments out;
  const auto count = static_cast<double>(n);
  if (centered) out.mean = static_cast<float>(table.sum(x, n) / count);
  const double variance = table.squares(x, out.mean, n) / count;
  out.inverse_deviation =
      static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(epsilon)));
  return out;
}

}  // namespace waybill::cpu
#endif
