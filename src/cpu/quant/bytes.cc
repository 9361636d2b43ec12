#include "cpu/quant/bytes.h"

#include <algorithm>
#include <cmath>

#include "cpu/quant/requantize.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quant/bytes.cc"
#include "cpu/simd/highway.h"

// Highway first.
#include "cpu/quant/requantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

template <class T>
Rounding RoundingTo(int32_t zero) {
  Requantize out;
  out.to = T(-1) < T(0) ? SumTo::kI8 : SumTo::kU8;
  out.zero = zero;
  return MakeRounding(out);
}

// A vector of floats as bytes; NaN becomes the lowest value.
template <class T>
HWY_INLINE void StoreRounded(const Rounding& r, RealVec v, T* y) {
  const SumTag d;
  const hn::Rebind<T, SumTag> db;
  const RealVec kept = hn::Min(hn::Max(v, r.low), r.high);
  const SumVec result = hn::Sub(hn::BitCast(d, hn::Add(kept, r.magic)), r.shift);
  hn::StoreU(hn::DemoteTo(db, result), db, y);
}

template <class T>
HWY_INLINE RealVec LoadReal(const T* x, SumVec zero) {
  const SumTag d;
  const hn::Rebind<T, SumTag> db;
  return hn::ConvertTo(RealTag(), hn::Sub(hn::PromoteTo(d, hn::LoadU(db, x)), zero));
}

template <class T>
void Quantize(const float* x, size_t count, float scale, int32_t zero, T* y) {
  const RealTag df;
  const size_t lanes = hn::Lanes(df);
  const Rounding r = RoundingTo<T>(zero);
  const RealVec s = hn::Set(df, scale);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreRounded(r, hn::Div(hn::LoadU(df, x + i), s), y + i);
  }
  if (i == count) return;
  HWY_ALIGN float part[hn::MaxLanes(df)] = {};
  HWY_ALIGN T bytes[hn::MaxLanes(df)];
  std::copy(x + i, x + count, part);
  StoreRounded(r, hn::Div(hn::Load(df, part), s), bytes);
  std::copy(bytes, bytes + (count - i), y + i);
}

template <class T>
void Dequantize(const T* x, size_t count, float scale, int32_t zero, float* y) {
  const RealTag df;
  const size_t lanes = hn::Lanes(df);
  const RealVec s = hn::Set(df, scale);
  const SumVec z = hn::Set(SumTag(), zero);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Mul(LoadReal(x + i, z), s), df, y + i);
  }
  for (; i < count; ++i) y[i] = static_cast<float>(x[i] - zero) * scale;
}

template <class T>
void Add(const T* a, const T* b, size_t count, const ByteSum& how, T* y) {
  const RealTag df;
  const SumTag d;
  const size_t lanes = hn::Lanes(df);
  const Rounding r = RoundingTo<T>(how.y_zero);
  const RealVec fa = hn::Set(df, how.a_factor), fb = hn::Set(df, how.b_factor);
  const SumVec za = hn::Set(d, how.a_zero), zb = hn::Set(d, how.b_zero);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const RealVec left = hn::Mul(LoadReal(a + i, za), fa);
    StoreRounded(r, hn::Add(left, hn::Mul(LoadReal(b + i, zb), fb)), y + i);
  }
  if (i == count) return;
  HWY_ALIGN T pa[hn::MaxLanes(df)] = {}, pb[hn::MaxLanes(df)] = {}, py[hn::MaxLanes(df)];
  std::copy(a + i, a + count, pa);
  std::copy(b + i, b + count, pb);
  const RealVec left = hn::Mul(LoadReal(pa, za), fa);
  StoreRounded(r, hn::Add(left, hn::Mul(LoadReal(pb, zb), fb)), py);
  std::copy(py, py + (count - i), y + i);
}

template <class T>
void SumRows(const T* x, size_t rows, size_t columns, int32_t* sums) {
  const SumTag d;
  const hn::Rebind<T, SumTag> db;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    SumVec sum = hn::Zero(d);
    for (size_t row = 0; row < rows; ++row) {
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(db, x + row * columns + c)));
    }
    hn::StoreU(sum, d, sums + c);
  }
  for (; c < columns; ++c) {
    uint32_t sum = 0;
    for (size_t row = 0; row < rows; ++row) sum += static_cast<uint32_t>(x[row * columns + c]);
    sums[c] = static_cast<int32_t>(sum);
  }
}

FloatRange Range(const float* x, size_t count) {
  const RealTag df;
  const size_t lanes = hn::Lanes(df);
  RealVec low = hn::Zero(df), high = hn::Zero(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const RealVec v = hn::LoadU(df, x + i);
    low = hn::IfThenElse(hn::Lt(v, low), v, low);
    high = hn::IfThenElse(hn::Gt(v, high), v, high);
  }
  FloatRange range{hn::GetLane(hn::MinOfLanes(df, low)), hn::GetLane(hn::MaxOfLanes(df, high))};
  for (; i < count; ++i) {
    range.low = std::min(range.low, x[i]);
    range.high = std::max(range.high, x[i]);
  }
  return range;
}

template <class T>
constexpr ByteFns<T> kFns = {Quantize<T>, Dequantize<T>, Add<T>, SumRows<T>};

constexpr ByteTable kBytes = {kFns<uint8_t>, kFns<int8_t>, Range};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const ByteTable& ByteKernelsOf(SimdTarget target) { WB_SIMD_TABLE(target, kBytes) }

}  // namespace waybill::cpu
#endif
