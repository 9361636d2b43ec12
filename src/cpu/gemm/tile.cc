#include "cpu/gemm/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemm/tile.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Tile sizes in rows and vectors. A is read where it lies, so more than 8 rows would collide in an
// 8-way cache; accumulators, one row of B and one broadcast of A fill the vector registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 6;
constexpr int kVectors = 4;
#elif HWY_TARGET == HWY_NEON
constexpr int kRows = 8;
constexpr int kVectors = 3;
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kRows = 4;
constexpr int kVectors = 3;
#else
constexpr int kRows = 2;
constexpr int kVectors = 4;
#endif

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Sum, bias or old value, and activation: the same steps for whole vectors and for single floats.
HWY_INLINE Vec Finish(Vec sum, Vec addend, bool relu) {
  const Tag d;
  const Vec v = hn::Add(sum, addend);
  return relu ? hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v) : v;
}

HWY_INLINE float FinishOne(float sum, float addend, bool relu) {
  const float v = sum + addend;
  return relu && v < 0 ? 0.0f : v;
}

template <int kM, int kN>
HWY_INLINE void StoreWhole(const PanelArgs& args, Vec (&acc)[kM][kN]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    float* c = args.c + static_cast<size_t>(i) * args.ldc;
    const float row_bias = args.row_bias != nullptr ? args.row_bias[i] : 0.0f;
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const size_t column = static_cast<size_t>(j) * lanes;
      Vec addend = hn::Set(d, row_bias);
      if (args.add) {
        addend = hn::LoadU(d, c + column);
      } else if (args.column_bias != nullptr) {
        addend = hn::LoadU(d, args.column_bias + column);
      }
      hn::StoreU(Finish(acc[i][j], addend, args.relu), d, c + column);
    }
  }
}

// For a panel whose last vector is not full: nothing past column n may be touched.
template <int kM, int kN>
HWY_INLINE void StorePart(const PanelArgs& args, Vec (&acc)[kM][kN]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN float row[kN * hn::MaxLanes(d)];
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) hn::Store(acc[i][j], d, row + static_cast<size_t>(j) * lanes);
    float* c = args.c + static_cast<size_t>(i) * args.ldc;
    const float row_bias = args.row_bias != nullptr ? args.row_bias[i] : 0.0f;
    for (size_t column = 0; column < args.n; ++column) {
      float addend = row_bias;
      if (args.add) {
        addend = c[column];
      } else if (args.column_bias != nullptr) {
        addend = args.column_bias[column];
      }
      c[column] = FinishOne(row[column], addend, args.relu);
    }
  }
}

// kM rows times a panel of kN vectors.
template <int kM, int kN>
HWY_NOINLINE void Tile(const PanelArgs& args) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const float* HWY_RESTRICT a = args.a;
  const float* HWY_RESTRICT b = args.panel;
  const size_t lda = args.lda;
  Vec acc[kM][kN];
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = hn::Zero(d);
  }
  for (size_t k = 0; k < args.k; ++k) {
    Vec bv[kN];
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      const Vec av = hn::Set(d, a[static_cast<size_t>(i) * lda + k]);
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) acc[i][j] = hn::MulAdd(av, bv[j], acc[i][j]);
    }
    b += static_cast<size_t>(kN) * lanes;
  }
  if (args.n == static_cast<size_t>(kN) * lanes) {
    StoreWhole<kM, kN>(args, acc);
  } else {
    StorePart<kM, kN>(args, acc);
  }
}

using TileFn = void (*)(const PanelArgs&);

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

void RunPanel(const PanelArgs& args) {
  const size_t lanes = hn::Lanes(Tag());
  const size_t vectors = (args.n + lanes - 1) / lanes;
  const TileFn whole = TileFor<kVectors>(kRows, vectors);
  PanelArgs tile = args;
  for (size_t row = 0; row < args.m; row += kRows) {
    const size_t rows = args.m - row < kRows ? args.m - row : kRows;
    tile.a = args.a + row * args.lda;
    tile.c = args.c + row * args.ldc;
    if (args.row_bias != nullptr) tile.row_bias = args.row_bias + row;
    if (rows == kRows) {
      whole(tile);
    } else {
      TileFor<kVectors>(rows, vectors)(tile);
    }
  }
}

constexpr GemmF32Table kGemmF32 = {hn::MaxLanes(Tag()), kVectors* hn::MaxLanes(Tag()), kRows,
                                   RunPanel};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const GemmF32Table& GemmF32(SimdTarget target) { WB_SIMD_TABLE(target, kGemmF32) }

}  // namespace waybill::cpu
#endif
