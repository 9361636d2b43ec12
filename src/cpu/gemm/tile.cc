#include "cpu/gemm/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemm/tile.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/mul_add-inl.h"
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Heights of the tiles that are compiled, by their width in vectors: enough sums to hide the
// latency of multiply-add, and room for a row of B and an element of A. A is read where it lies, so
// more than 8 rows would collide in an 8-way cache. Lower tiles than the least do the least's work,
// which takes no longer: they would wait for their few sums.
#if HWY_TARGET == HWY_AVX3
constexpr int kVectors = 4;
constexpr int kMostRows[] = {0, 8, 8, 8, 6};
constexpr int kLeastRows[] = {0, 4, 5, 5, 4};
constexpr bool kThin = true;
#elif HWY_TARGET == HWY_NEON
constexpr int kVectors = 3;
constexpr int kMostRows[] = {0, 8, 8, 8};
constexpr int kLeastRows[] = {0, 4, 5, 4};
constexpr bool kThin = true;
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kVectors = 3;
constexpr int kMostRows[] = {0, 8, 6, 4};
constexpr int kLeastRows[] = {0, 4, 4, 3};
constexpr bool kThin = true;
#else
constexpr int kVectors = 4;
constexpr int kMostRows[] = {0, 2, 2, 2, 2};
constexpr int kLeastRows[] = {0, 2, 2, 2, 2};
constexpr bool kThin = false;
#endif

constexpr size_t kLineFloats = 16;  // of a cache line

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

constexpr size_t PackedPitch(int vectors) {
  return static_cast<size_t>(vectors) * hn::MaxLanes(Tag());
}

template <int kN>
HWY_INLINE size_t PanelPitch(const PanelArgs& args) {
  return args.ldb != 0 ? args.ldb : PackedPitch(kN);
}

// What happens to finished sums, `rows` rows of kN vectors, from row `row` of C on: old value or
// bias, residual and clamp. Apart from the tiles, which so stay small and keep their registers.
template <int kN>
HWY_NOINLINE void Finish(const PanelArgs& args, size_t row, size_t rows, const float* sums) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const size_t rest = args.n - static_cast<size_t>(kN - 1) * lanes;  // in the last vector
  const auto load = [&](const float* from, int j) HWY_ATTR {
    from += static_cast<size_t>(j) * lanes;
    return j + 1 < kN || rest == lanes ? hn::LoadU(d, from) : LoadFirst(d, from, rest);
  };
  Vec bias[kN];
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) {
    bias[j] = !args.add && args.column_bias != nullptr ? load(args.column_bias, j) : hn::Zero(d);
  }
  const float* row_bias = args.add || args.column_bias != nullptr ? nullptr : args.row_bias;
  for (; rows > 0; --rows, ++row) {
    float* c = args.c + row * args.ldc;
    Vec v[kN];
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const Vec first = args.add              ? load(c, j)
                        : row_bias != nullptr ? hn::Set(d, row_bias[row])
                                              : bias[j];
      v[j] = hn::Add(hn::Load(d, sums), first);
      sums += lanes;
    }
    if (args.residual != nullptr) {
      const float* from = args.residual + row * args.residual_ld;
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) v[j] = hn::Add(v[j], load(from, j));
    }
    if (args.clamp) {
      const Vec low = hn::Set(d, args.low), high = hn::Set(d, args.high);
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) v[j] = ClampKeepingNan(d, v[j], low, high);
    }
    HWY_UNROLL(4)
    for (int j = 0; j + 1 < kN; ++j) hn::StoreU(v[j], d, c + static_cast<size_t>(j) * lanes);
    float* last = c + static_cast<size_t>(kN - 1) * lanes;
    if (rest == lanes) {
      hn::StoreU(v[kN - 1], d, last);
    } else {
      StoreFirst(d, v[kN - 1], last, rest);
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

template <int kM, int kN>
HWY_INLINE void StoreSums(const Vec (&acc)[kM][kN], float* sums) {
  const Tag d;
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      hn::Store(acc[i][j], d, sums + static_cast<size_t>(i * kN + j) * hn::Lanes(d));
    }
  }
}

// One row of B times column k of A. kNamed is for loops unrolled around many sums (MulAddTo); where
// B comes from memory the compiler's choice is the better one.
template <bool kNamed, int kM, int kN>
HWY_INLINE void MulAddRow(const float* const (&a)[kM], size_t k, const float* HWY_RESTRICT b,
                          Vec (&acc)[kM][kN]) {
  const Tag d;
  Vec bv[kN];
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) bv[j] = hn::LoadU(d, b + static_cast<size_t>(j) * hn::Lanes(d));
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    if constexpr (kNamed) {
      const auto av = ForAllLanes(d, a[i][k]);
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) MulAddTo(acc[i][j], av, bv[j]);
    } else {
      const Vec av = hn::Set(d, a[i][k]);
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) acc[i][j] = hn::MulAdd(av, bv[j], acc[i][j]);
    }
  }
}

// Rows of B that one turn of a loop over whole panels takes.
constexpr size_t kUnroll = 4;

// Rows [k, end) of B times columns of A, fetching kFetch cache lines from `ahead` on every kUnroll
// rows of a whole panel.
template <size_t kFetch, int kM, int kN>
HWY_INLINE void MulAddRows(const float* const (&a)[kM], size_t k, size_t end,
                           const float* HWY_RESTRICT b, size_t ldb, const float* ahead,
                           Vec (&acc)[kM][kN]) {
  if (ldb == PackedPitch(kN)) {
    for (; k + kUnroll <= end; k += kUnroll, b += kUnroll * PackedPitch(kN)) {
      HWY_UNROLL(4)
      for (size_t i = 0; i < kUnroll; ++i) {
        if (i < kFetch) __builtin_prefetch(ahead + i * kLineFloats, 0, 2);
        if (i + kUnroll < kFetch) __builtin_prefetch(ahead + (i + kUnroll) * kLineFloats, 0, 2);
        MulAddRow<true, kM, kN>(a, k + i, b + i * PackedPitch(kN), acc);
      }
      ahead += kFetch * kLineFloats;
    }
  }
  for (; k < end; ++k, b += ldb) MulAddRow<true, kM, kN>(a, k, b, acc);
}

// C = sums or C += sums, perhaps with a bias for the columns, of whole vectors.
template <int kM, int kN>
HWY_INLINE void StoreWhole(const PanelArgs& args, float* c, size_t height, Vec (&acc)[kM][kN]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const size_t ldc = args.ldc;
  const float* more = args.add ? c : args.column_bias;
  if (more != nullptr) {
    const size_t more_ld = args.add ? ldc : 0;
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      // Rows past the height are not there.
      const float* from = more + HWY_MIN(static_cast<size_t>(i), height - 1) * more_ld;
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) {
        acc[i][j] = hn::Add(acc[i][j], hn::LoadU(d, from + static_cast<size_t>(j) * lanes));
      }
    }
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i, c += ldc) {
    if (static_cast<size_t>(i) >= height) break;
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) hn::StoreU(acc[i][j], d, c + static_cast<size_t>(j) * lanes);
  }
}

template <int kM, int kN>
HWY_INLINE void Close(const PanelArgs& args, size_t row, size_t height, Vec (&acc)[kM][kN]) {
  if (args.n == PackedPitch(kN) && args.residual == nullptr && !args.clamp &&
      (args.add || args.row_bias == nullptr)) {
    StoreWhole<kM, kN>(args, args.c + row * args.ldc, height, acc);
  } else {
    HWY_ALIGN float sums[static_cast<size_t>(kM) * PackedPitch(kN)];
    StoreSums<kM, kN>(acc, sums);
    Finish<kN>(args, row, height, sums);
  }
}

// C's lines come while the sums are made: stores to lines far away hold up what follows.
template <int kN>
HWY_INLINE void FetchC(const PanelArgs& args, size_t row, size_t height) {
  const float* c = args.c + row * args.ldc;
  for (size_t i = 0; i < height; ++i, c += args.ldc) {
    for (size_t j = 0; j < PackedPitch(kN); j += kLineFloats) __builtin_prefetch(c + j, 1);
    __builtin_prefetch(c + args.n - 1, 1);
  }
}

#if HWY_TARGET == HWY_AVX3

// The same, and where `next` is not 0 fetches the rows of A that lie so many floats on: those of
// the next tile, which no earlier panel has brought into the cache.
template <size_t kFetch, int kM, int kN>
HWY_INLINE void MulAddTile(const float* const (&a)[kM], size_t next, size_t k, size_t end,
                           const float* HWY_RESTRICT b, size_t ldb, const float* ahead,
                           Vec (&acc)[kM][kN]) {
  if (next == 0) return MulAddRows<kFetch>(a, k, end, b, ldb, ahead, acc);
  for (; k < end; k += kLineFloats, b += kLineFloats * ldb) {
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) __builtin_prefetch(a[i] + next + k);
    MulAddRows<kFetch>(a, k, HWY_MIN(end, k + kLineFloats), b, ldb, ahead, acc);
    ahead += kFetch * kLineFloats * (kLineFloats / kUnroll);
  }
}

// `count` tiles of `height` <= kM rows and kN vectors, from row `row` on, which fetch the next
// panel together: each kFetch lines every kUnroll rows of B, until it has fetched its share. As
// few at a time as will do, since lines that are on their way hold up the loads of this panel.
template <size_t kFetch, int kM, int kN>
HWY_NOINLINE void FetchingTiles(const PanelArgs& args, size_t row, size_t height, size_t count) {
  const size_t ldb = PanelPitch<kN>(args);
  const size_t depth = args.k;
  const size_t share = kFetch != 0 ? args.next_floats / args.m : 0;
  size_t fetching = 0;  // rows of B
  if constexpr (kFetch != 0) {
    constexpr size_t kFloats = kFetch * kLineFloats;
    fetching = HWY_MIN(depth, (height * share + kFloats - 1) / kFloats * kUnroll);
  }
  for (; count > 0; --count, row += height) {
    // Rows past the height repeat the last.
    const float* a[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      a[i] = args.a + (row + HWY_MIN(static_cast<size_t>(i), height - 1)) * args.lda;
    }
    FetchC<kN>(args, row, height);
    const size_t next = args.fetch_ahead && count > 1 ? height * args.lda : 0;
    Vec acc[kM][kN];
    SetZero<kM, kN>(acc);
    if constexpr (kFetch != 0) {
      MulAddTile<kFetch>(a, next, 0, fetching, args.panel, ldb, args.next_panel + row * share, acc);
    }
    MulAddTile<0>(a, next, fetching, depth, args.panel + fetching * ldb, ldb, nullptr, acc);
    Close<kM, kN>(args, row, height, acc);
  }
}

template <int kM, int kN>
void Tiles(const PanelArgs& args, size_t row, size_t height, size_t count) {
  if (kN < kVectors || args.next_panel == nullptr) {
    return FetchingTiles<0, kM, kN>(args, row, height, count);
  }
  if constexpr (kN == kVectors) {
    const size_t floats = height * (args.next_floats / args.m);
    const auto holds = [&](size_t fetch) {
      return floats <= args.k / kUnroll * fetch * kLineFloats;
    };
    if (holds(2)) return FetchingTiles<2, kM, kN>(args, row, height, count);
    if (holds(4)) return FetchingTiles<4, kM, kN>(args, row, height, count);
    FetchingTiles<8, kM, kN>(args, row, height, count);
  }
}

#else  // where a tile's loop has no room for more: measured with AVX2, which loses a tenth with the
       // above

// `count` tiles of `height` <= kM rows and kN vectors, from row `row` on.
template <int kM, int kN>
HWY_NOINLINE void Tiles(const PanelArgs& args, size_t row, size_t height, size_t count) {
  const size_t ldb = PanelPitch<kN>(args);
  const size_t depth = args.k;
  // Each tile fetches its share of the next panel, step by step.
  size_t share = 0, step_lines = 0;
  if (args.next_panel != nullptr) {
    share = args.next_floats / args.m;
    const size_t steps = (depth + kLineFloats - 1) / kLineFloats;
    step_lines = (height * share + steps * kLineFloats) / (steps * kLineFloats + 1);
  }
  for (; count > 0; --count, row += height) {
    const float* HWY_RESTRICT b = args.panel;
    const float* ahead = args.next_panel + row * share;
    // Rows past the height repeat the last.
    const float* a[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      a[i] = args.a + (row + HWY_MIN(static_cast<size_t>(i), height - 1)) * args.lda;
    }
    FetchC<kN>(args, row, height);
    const size_t next = args.fetch_ahead && count > 1 ? height * args.lda : 0;
    const size_t step = next == 0 && step_lines == 0 ? depth : kLineFloats;
    Vec acc[kM][kN];
    SetZero<kM, kN>(acc);
    for (size_t k = 0; k < depth; k += step, b += step * ldb) {
      // Rows of the next tile, which no earlier panel has brought into the cache.
      if (next != 0) {
        HWY_UNROLL(8)
        for (int i = 0; i < kM; ++i) __builtin_prefetch(a[i] + next + k);
      }
      for (size_t i = 0; i < step_lines; ++i, ahead += kLineFloats) {
        __builtin_prefetch(ahead, 0, 2);
      }
      MulAddRows<0>(a, k, HWY_MIN(depth, k + step), b, ldb, nullptr, acc);
    }
    Close<kM, kN>(args, row, height, acc);
  }
}

#endif

// How far before its use B is fetched where each element is used once or twice: the CPU's own
// prefetching stops at the end of a page.
constexpr size_t kAheadFloats = 1024;

// The cache lines of a row of kN vectors.
template <int kN>
HWY_INLINE void FetchRow(const float* row) {
  if constexpr (PackedPitch(kN) <= kLineFloats) {
    __builtin_prefetch(row);
  } else {
    HWY_UNROLL(4)
    for (size_t j = 0; j < PackedPitch(kN); j += kLineFloats) __builtin_prefetch(row + j);
  }
}

// kM rows, few of them with several strands of sums, added up at the end.
template <int kM, int kN>
HWY_NOINLINE void ThinTile(const PanelArgs& args) {
  constexpr int kStrands = 4 / kM;
  const size_t ldb = PanelPitch<kN>(args);
  const float* HWY_RESTRICT b = args.panel;
  const float* a[kM];
  for (int i = 0; i < kM; ++i) a[i] = args.a + static_cast<size_t>(i) * args.lda;
  Vec acc[kStrands][kM][kN];
  HWY_UNROLL(4)
  for (int s = 0; s < kStrands; ++s) SetZero<kM, kN>(acc[s]);
  size_t k = 0;
  for (; k + kStrands <= args.k; k += kStrands) {
    HWY_UNROLL(4)
    for (int s = 0; s < kStrands; ++s, b += ldb) {
      FetchRow<kN>(b + kAheadFloats);
      MulAddRow<false, kM, kN>(a, k + static_cast<size_t>(s), b, acc[s]);
    }
  }
  for (; k < args.k; ++k, b += ldb) MulAddRow<false, kM, kN>(a, k, b, acc[0]);
  if constexpr (kStrands > 1) {
    HWY_UNROLL(2)
    for (int i = 0; i < kM; ++i) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) {
        acc[0][i][j] = hn::Add(acc[0][i][j], acc[1][i][j]);
        if constexpr (kStrands == 4) {
          acc[0][i][j] = hn::Add(acc[0][i][j], hn::Add(acc[2][i][j], acc[3][i][j]));
        }
      }
    }
  }
  Close<kM, kN>(args, 0, kM, acc[0]);
}

using TilesFn = void (*)(const PanelArgs&, size_t, size_t, size_t);

template <int kM, int kN>
TilesFn TilesOf(size_t height) {
  constexpr int kLower = kN == 1 ? kM / 2 : kM - 1;
  if constexpr (kLower >= kLeastRows[kN]) {
    if (height <= static_cast<size_t>(kLower)) return TilesOf<kLower, kN>(height);
  }
  return Tiles<kM, kN>;
}

// Tiles of nearly equal height: low ones would wait for their own sums.
template <int kN>
void RunVectors(const PanelArgs& args) {
  if constexpr (kThin) {
    constexpr void (*kThinTiles[])(const PanelArgs&) = {ThinTile<1, kN>, ThinTile<2, kN>,
                                                        ThinTile<3, kN>, ThinTile<4, kN>};
    if (args.thin) return kThinTiles[args.m - 1](args);
  }
  constexpr auto kMost = static_cast<size_t>(kMostRows[kN]);
  if (args.m <= kMost) {
    if (args.m != 0) TilesOf<kMostRows[kN], kN>(args.m)(args, 0, args.m, 1);
    return;
  }
  const size_t tiles = (args.m + kMost - 1) / kMost;
  const size_t low = args.m / tiles, high_count = args.m % tiles;
  if (high_count != 0) TilesOf<kMostRows[kN], kN>(low + 1)(args, 0, low + 1, high_count);
  TilesOf<kMostRows[kN], kN>(low)(args, high_count * (low + 1), low, tiles - high_count);
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
                                   kMostRows[kVectors], RunPanel};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const GemmF32Table& GemmF32(SimdTarget target) { WB_SIMD_TABLE(target, kGemmF32) }

}  // namespace waybill::cpu
#endif
