#include "cpu/quant/product.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quant/product.cc"
#include "cpu/simd/highway.h"

// Highway first.
#include "cpu/quant/requantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 6;
constexpr int kVectors = 4;
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kRows = 6;
constexpr int kVectors = 2;
#elif HWY_TARGET == HWY_NEON
constexpr int kRows = 4;
constexpr int kVectors = 2;
#else
constexpr int kRows = 2;
constexpr int kVectors = 2;
#endif
template <int kM, int kN>
HWY_INLINE void Accumulate(const ProductArgs& args, SumVec (&acc)[kM][kN]) {
  const SumTag d;
  const size_t lanes = hn::Lanes(d);
  // Where products of a pair go to one register, these are dropped by the compiler.
  SumVec rest[kM][kN];
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = rest[i][j] = hn::Zero(d);
  }
  const int32_t* HWY_RESTRICT b = args.panel;
  for (size_t s = 0; s < args.segment_count; ++s) {
    const int16_t* HWY_RESTRICT a[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) a[i] = args.a + args.rows[i] + args.segments[s];
    for (size_t k = 0; k < args.pairs; ++k) {
      SumVec bv[kN];
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
      b += static_cast<size_t>(kN) * lanes;
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) {
        int32_t pair;
        std::memcpy(&pair, a[i] + 2 * k, sizeof pair);
        const SumVec av = hn::Set(d, pair);
        HWY_UNROLL(4)
        for (int j = 0; j < kN; ++j) acc[i][j] = MulPairs(av, bv[j], acc[i][j], rest[i][j]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = SumPairs(acc[i][j], rest[i][j]);
  }
}

template <class V>
HWY_INLINE void StoreBytes(SumTo to, V v, void* out) {
  if (to == SumTo::kU8) {
    const hn::Rebind<uint8_t, SumTag> db;
    hn::StoreU(hn::DemoteTo(db, v), db, static_cast<uint8_t*>(out));
  } else {
    const hn::Rebind<int8_t, SumTag> db;
    hn::StoreU(hn::DemoteTo(db, v), db, static_cast<int8_t*>(out));
  }
}

// One row of results to `out`, whole vectors.
template <int kN>
HWY_INLINE void Finish(const Requantize& to, const Rounding& rounding, SumVec (&acc)[kN],
                       std::byte* out) {
  const SumTag d;
  const RealTag df;
  const size_t lanes = hn::Lanes(d);
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) {
    const size_t at = static_cast<size_t>(j) * lanes;
    const SumVec sum = hn::Add(acc[j], hn::LoadU(d, to.bias + at));
    if (to.to == SumTo::kI32) {
      hn::StoreU(sum, d, reinterpret_cast<int32_t*>(out) + at);
    } else if (to.to == SumTo::kF32) {
      const RealVec scale = hn::LoadU(df, to.scale + at);
      hn::StoreU(hn::Mul(hn::ConvertTo(df, sum), scale), df, reinterpret_cast<float*>(out) + at);
    } else {
      const RealVec scale = hn::LoadU(df, to.scale + at);
      StoreBytes(to.to, RoundToByte(rounding, sum, scale), out + at);
    }
  }
}

template <int kM, int kN>
HWY_NOINLINE void Tile(const ProductArgs& args) {
  const size_t lanes = hn::Lanes(SumTag());
  SumVec acc[kM][kN];
  Accumulate<kM, kN>(args, acc);
  const Rounding rounding = MakeRounding(args.out);
  const size_t bytes = SumToBytes(args.out.to);
  auto* c = static_cast<std::byte*>(args.c);
  if (args.n == static_cast<size_t>(kN) * lanes) {
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      Finish<kN>(args.out, rounding, acc[i], c + static_cast<size_t>(i) * args.ldc * bytes);
    }
    return;
  }
  HWY_ALIGN std::byte row[static_cast<size_t>(kN) * 4 * hn::MaxLanes(SumTag())];
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    Finish<kN>(args.out, rounding, acc[i], row);
    std::memcpy(c + static_cast<size_t>(i) * args.ldc * bytes, row, args.n * bytes);
  }
}

using TileFn = void (*)(const ProductArgs&);

template <int kM, int kN>
TileFn TileForRows(size_t rows) {
  if constexpr (kM > 1) {
    if (rows < static_cast<size_t>(kM)) return TileForRows<kM - 1, kN>(rows);
  }
  return Tile<kM, kN>;
}

template <int kN>
TileFn TileFor(size_t rows, size_t vectors) {
  if constexpr (kN > 1) {
    if (vectors < static_cast<size_t>(kN)) return TileFor<kN - 1>(rows, vectors);
  }
  return TileForRows<kRows, kN>(rows);
}

void RunProduct(const ProductArgs& args) {
  const size_t lanes = hn::Lanes(SumTag());
  const size_t vectors = (args.n + lanes - 1) / lanes;
  const size_t row_bytes = args.ldc * SumToBytes(args.out.to);
  const TileFn whole = TileFor<kVectors>(kRows, vectors);
  ProductArgs tile = args;
  for (size_t row = 0; row < args.m; row += kRows) {
    const size_t rows = args.m - row < kRows ? args.m - row : kRows;
    tile.rows = args.rows + row;
    tile.c = static_cast<std::byte*>(args.c) + row * row_bytes;
    (rows == kRows ? whole : TileFor<kVectors>(rows, vectors))(tile);
  }
}

template <class T>
void Widen(const T* x, size_t count, int32_t zero, int16_t* y) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<T, decltype(d)> db;
  const size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, static_cast<int16_t>(zero));
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(db, x + i)), shift), d, y + i);
  }
  if (i < count && count >= lanes) {
    i = count - lanes;
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(db, x + i)), shift), d, y + i);
    return;
  }
  for (; i < count; ++i) y[i] = static_cast<int16_t>(x[i] - zero);
}

constexpr ProductTable kProduct = {
    hn::MaxLanes(SumTag()), kVectors* hn::MaxLanes(SumTag()), kRows, RunProduct, Widen<uint8_t>,
    Widen<int8_t>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const ProductTable& QuantProduct(SimdTarget target) { WB_SIMD_TABLE(target, kProduct) }

}  // namespace waybill::cpu
#endif
