#include "cpu/gemm/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemm/tile.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Tile sizes in rows and vectors. A is read where it lies, so more than 8 rows would collide in an
// 8-way cache; accumulators, one row of B and one broadcast of A fill the vector registers.
// Narrower panels take more rows, so that enough sums are under way at once.
#if HWY_TARGET == HWY_AVX3
constexpr int kVectors = 4;
constexpr int RowsFor(int vectors) { return vectors == 4 ? 6 : 8; }
#elif HWY_TARGET == HWY_NEON
constexpr int kVectors = 3;
constexpr int RowsFor(int) { return 8; }
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kVectors = 3;
constexpr int RowsFor(int vectors) { return vectors == 3 ? 4 : vectors == 2 ? 6 : 8; }
#else
constexpr int kVectors = 4;
constexpr int RowsFor(int) { return 2; }
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#define WB_MASKED_MEMORY 1
#else
#define WB_MASKED_MEMORY 0
#endif

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// The first `count` floats, which alone may be touched.
HWY_INLINE Vec LoadFirst(const float* from, size_t count) {
  const Tag d;
#if WB_MASKED_MEMORY
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(d)] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#endif
}

HWY_INLINE void StoreFirst(Vec v, float* to, size_t count) {
  const Tag d;
#if WB_MASKED_MEMORY
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
#endif
}

// Vector j of kN; only the last may be partial, with `last` floats.
template <int kN, bool kPart>
HWY_INLINE Vec LoadVector(const float* row, int j, size_t last) {
  const Tag d;
  const float* from = row + static_cast<size_t>(j) * hn::Lanes(d);
  if (kPart && j == kN - 1) return LoadFirst(from, last);
  return hn::LoadU(d, from);
}

template <int kM, int kN, bool kPart>
HWY_INLINE void AddRows(const float* rows, size_t ld, size_t last, Vec (&acc)[kM][kN]) {
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const Vec v = LoadVector<kN, kPart>(rows + static_cast<size_t>(i) * ld, j, last);
      acc[i][j] = hn::Add(acc[i][j], v);
    }
  }
}

template <int kM, int kN>
HWY_INLINE void Clamp(float low, float high, Vec (&acc)[kM][kN]) {
  const Tag d;
  const Vec lowest = hn::Set(d, low);
  const Vec highest = hn::Set(d, high);
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const Vec raised = hn::IfThenElse(hn::Lt(acc[i][j], lowest), lowest, acc[i][j]);
      acc[i][j] = hn::IfThenElse(hn::Gt(raised, highest), highest, raised);
    }
  }
}

// Old value or bias, residual and clamp, each over the whole tile while it is in registers.
template <int kM, int kN, bool kPart>
HWY_INLINE void Finish(const PanelArgs& args, size_t last, Vec (&acc)[kM][kN]) {
  const Tag d;
  if (args.add) {
    AddRows<kM, kN, kPart>(args.c, args.ldc, last, acc);
  } else if (args.column_bias != nullptr) {
    AddRows<kM, kN, kPart>(args.column_bias, 0, last, acc);
  } else if (args.row_bias != nullptr) {
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) acc[i][j] = hn::Add(acc[i][j], hn::Set(d, args.row_bias[i]));
    }
  }
  if (args.residual != nullptr) {
    AddRows<kM, kN, kPart>(args.residual, args.residual_ld, last, acc);
  }
  if (args.clamp) Clamp<kM, kN>(args.low, args.high, acc);
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      float* to =
          args.c + static_cast<size_t>(i) * args.ldc + static_cast<size_t>(j) * hn::Lanes(d);
      if (kPart && j == kN - 1) {
        StoreFirst(acc[i][j], to, last);
      } else {
        hn::StoreU(acc[i][j], d, to);
      }
    }
  }
}

template <int kM, int kN>
HWY_INLINE void SetZero(Vec (&acc)[kM][kN]) {
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = hn::Zero(Tag());
  }
}

// One row of B times one column of A.
template <int kM, int kN>
HWY_INLINE void MulAddRow(const float* HWY_RESTRICT a, size_t lda, const float* HWY_RESTRICT b,
                          Vec (&acc)[kM][kN]) {
  const Tag d;
  Vec bv[kN];
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) bv[j] = hn::LoadU(d, b + static_cast<size_t>(j) * hn::Lanes(d));
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    const Vec av = hn::Set(d, a[static_cast<size_t>(i) * lda]);
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = hn::MulAdd(av, bv[j], acc[i][j]);
  }
}

template <int kM, int kN>
HWY_INLINE void Close(const PanelArgs& args, Vec (&acc)[kM][kN]) {
  const size_t lanes = hn::Lanes(Tag());
  const size_t last = args.n - static_cast<size_t>(kN - 1) * lanes;
  if (last == lanes) {
    Finish<kM, kN, false>(args, last, acc);
  } else {
    Finish<kM, kN, true>(args, last, acc);
  }
}

// C's lines come while the sums are made: stores to lines far away would hold up what follows.
template <int kM>
HWY_INLINE void PrefetchC(const PanelArgs& args) {
  constexpr size_t kLine = 16;  // floats
  for (int i = 0; i < kM; ++i) {
    const float* row = args.c + static_cast<size_t>(i) * args.ldc;
    for (size_t j = 0; j < args.n; j += kLine) __builtin_prefetch(row + j);
    __builtin_prefetch(row + args.n - 1);
  }
}

// kM rows times a panel of kN vectors.
template <int kM, int kN>
HWY_NOINLINE void Tile(const PanelArgs& args) {
  const float* HWY_RESTRICT a = args.a;
  const float* HWY_RESTRICT b = args.panel;
  const size_t lda = args.lda;
  const size_t ldb = args.ldb != 0 ? args.ldb : static_cast<size_t>(kN) * hn::Lanes(Tag());
  PrefetchC<kM>(args);
  Vec acc[kM][kN];
  SetZero<kM, kN>(acc);
  for (size_t k = 0; k < args.k; ++k) {
    MulAddRow<kM, kN>(a + k, lda, b, acc);
    b += ldb;
  }
  Close<kM, kN>(args, acc);
}

// The same with four strands of sums (two for two rows), added up at the end.
template <int kM, int kN>
HWY_NOINLINE void ThinTile(const PanelArgs& args) {
  const float* HWY_RESTRICT a = args.a;
  const float* HWY_RESTRICT b = args.panel;
  const size_t lda = args.lda;
  const size_t ldb = args.ldb != 0 ? args.ldb : static_cast<size_t>(kN) * hn::Lanes(Tag());
  Vec acc0[kM][kN], acc1[kM][kN], acc2[kM][kN], acc3[kM][kN];
  SetZero<kM, kN>(acc0);
  SetZero<kM, kN>(acc1);
  SetZero<kM, kN>(acc2);
  SetZero<kM, kN>(acc3);
  constexpr size_t kStrands = kM == 1 ? 4 : 2;
  size_t k = 0;
  for (; k + kStrands <= args.k; k += kStrands) {
    MulAddRow<kM, kN>(a + k, lda, b, acc0);
    MulAddRow<kM, kN>(a + k + 1, lda, b + ldb, acc1);
    if (kStrands == 4) {
      MulAddRow<kM, kN>(a + k + 2, lda, b + 2 * ldb, acc2);
      MulAddRow<kM, kN>(a + k + 3, lda, b + 3 * ldb, acc3);
    }
    b += kStrands * ldb;
  }
  for (; k < args.k; ++k) {
    MulAddRow<kM, kN>(a + k, lda, b, acc0);
    b += ldb;
  }
  HWY_UNROLL(2)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      acc0[i][j] = hn::Add(acc0[i][j], acc1[i][j]);
      if (kStrands == 4) {
        acc0[i][j] = hn::Add(acc0[i][j], hn::Add(acc2[i][j], acc3[i][j]));
      }
    }
  }
  Close<kM, kN>(args, acc0);
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
void RunVectors(const PanelArgs& args) {
  constexpr size_t kRows = RowsFor(kN);
  if (args.thin) {
    if (args.m == 1) return ThinTile<1, kN>(args);
    return ThinTile<2, kN>(args);
  }
  PanelArgs tile = args;
  for (size_t row = 0; row < args.m;) {
    const size_t rest = args.m - row;
    size_t rows = rest < kRows ? rest : kRows;
    // A row left alone would wait for its few sums.
    if (rest == kRows + 1) rows = (rest + 1) / 2;
    tile.a = args.a + row * args.lda;
    tile.c = args.c + row * args.ldc;
    if (args.row_bias != nullptr) tile.row_bias = args.row_bias + row;
    if (args.residual != nullptr) tile.residual = args.residual + row * args.residual_ld;
    if (rows == kRows) {
      Tile<kRows, kN>(tile);
    } else {
      TileForRows<kRows, kN>(rows)(tile);
    }
    row += rows;
  }
}

template <int kN>
void RunPanelOf(const PanelArgs& args, size_t vectors) {
  if constexpr (kN > 1) {
    if (vectors < static_cast<size_t>(kN)) return RunPanelOf<kN - 1>(args, vectors);
  }
  RunVectors<kN>(args);
}

void RunPanel(const PanelArgs& args) {
  const size_t lanes = hn::Lanes(Tag());
  RunPanelOf<kVectors>(args, (args.n + lanes - 1) / lanes);
}

constexpr GemmF32Table kGemmF32 = {hn::MaxLanes(Tag()), kVectors* hn::MaxLanes(Tag()),
                                   RowsFor(kVectors), RunPanel};

#undef WB_MASKED_MEMORY

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const GemmF32Table& GemmF32(SimdTarget target) { WB_SIMD_TABLE(target, kGemmF32) }

}  // namespace waybill::cpu
#endif
