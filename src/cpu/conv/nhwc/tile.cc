#include "cpu/conv/nhwc/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/nhwc/tile.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rows of a tile by its width in vectors: enough sums to hide the latency of multiply-add, and room
// for a row of B and an element of A. More than 8 rows would collide in an 8-way cache.
#if HWY_TARGET == HWY_AVX3
constexpr int kMaxVectors = 4;
constexpr int kRowsOf[] = {0, 8, 8, 8, 6};
#elif HWY_TARGET == HWY_NEON
constexpr int kMaxVectors = 3;
constexpr int kRowsOf[] = {0, 8, 8, 8};
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kMaxVectors = 3;
constexpr int kRowsOf[] = {0, 8, 6, 4};
#else
constexpr int kMaxVectors = 3;
constexpr int kRowsOf[] = {0, 4, 2, 2};
#endif

constexpr size_t kLineFloats = 16;  // of a cache line

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

template <int kM, int kN>
HWY_INLINE void Store(const RunTileArgs& args, size_t row, Vec (&acc)[kM][kN]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const size_t rest = args.n - static_cast<size_t>(kN - 1) * lanes;  // in the last vector
  const auto load = [&](const float* from, int j) HWY_ATTR {
    from += static_cast<size_t>(j) * lanes;
    return j + 1 < kN || rest == lanes ? hn::LoadU(d, from) : LoadFirst(d, from, rest);
  };
  const Vec low = hn::Set(d, args.low), high = hn::Set(d, args.high);
  Vec bias[kN];
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) bias[j] = hn::Zero(d);
  if (!args.add && args.bias != nullptr) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) bias[j] = load(args.bias, j);
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    float* c = args.c + (row + static_cast<size_t>(i)) * args.ldc;
    Vec v[kN];
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      v[j] = hn::Add(acc[i][j], args.add ? load(c, j) : bias[j]);
    }
    if (args.residual != nullptr) {
      const float* from = args.residual + (row + static_cast<size_t>(i)) * args.residual_ld;
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) v[j] = hn::Add(v[j], load(from, j));
    }
    if (args.clamp) {
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

// `count` tiles of kM rows and kN vectors, from row `row` on.
template <int kM, int kN>
HWY_NOINLINE void Tiles(const RunTileArgs& args, size_t row, size_t count) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const size_t length = args.run_length;
  // Each tile fetches its share of the next panel, step by step.
  const size_t share = args.next_panel != nullptr ? args.next_floats / args.m : 0;
  const size_t steps = args.runs * ((length + kLineFloats - 1) / kLineFloats);
  const size_t step_lines = (kM * share + steps * kLineFloats) / (steps * kLineFloats + 1);
  for (; count > 0; --count, row += kM) {
    const float* next_panel = args.next_panel + row * share;
    const float* HWY_RESTRICT b = args.panel;
    const float* const* rows = args.rows + row;
    Vec acc[kM][kN];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) acc[i][j] = hn::Zero(d);
    }
    for (size_t run = 0; run < args.runs; ++run, rows += args.rows_stride) {
      const float* HWY_RESTRICT a[kM];
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) a[i] = rows[i] + args.offset;
      // Pixels of the next tile, which no earlier panel has brought into the cache.
      const float* const* next = args.fetch_ahead && count > 1 ? rows + kM : nullptr;
      for (size_t k0 = 0; k0 < length; k0 += kLineFloats) {
        if (next != nullptr) {
          HWY_UNROLL(8)
          for (int i = 0; i < kM; ++i) __builtin_prefetch(next[i] + args.offset + k0, 0, 3);
        }
        for (size_t i = 0; share != 0 && i < step_lines; ++i, next_panel += kLineFloats) {
          __builtin_prefetch(next_panel, 0, 2);
        }
        const size_t end = HWY_MIN(length, k0 + kLineFloats);
        for (size_t k = k0; k < end; ++k) {
          Vec bv[kN];
          HWY_UNROLL(4)
          for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
          HWY_UNROLL(8)
          for (int i = 0; i < kM; ++i) {
            const Vec av = hn::Set(d, a[i][k]);
            HWY_UNROLL(4)
            for (int j = 0; j < kN; ++j) acc[i][j] = hn::MulAdd(av, bv[j], acc[i][j]);
          }
          b += static_cast<size_t>(kN) * lanes;
        }
      }
    }
    Store<kM, kN>(args, row, acc);
  }
}

using TilesFn = void (*)(const RunTileArgs&, size_t, size_t);

template <int kM, int kN>
TilesFn TilesOf(size_t rows) {
  if constexpr (kM > 1) {
    if (rows < static_cast<size_t>(kM)) return TilesOf<kM - 1, kN>(rows);
  }
  return Tiles<kM, kN>;
}

// Tiles of nearly equal height: thin ones would wait for their own sums.
template <int kN>
void RunRows(const RunTileArgs& args) {
  constexpr auto kRows = static_cast<size_t>(kRowsOf[kN]);
  const size_t tiles = (args.m + kRows - 1) / kRows;
  if (tiles == 0) return;
  const size_t low = args.m / tiles, high_count = args.m % tiles;
  if (high_count != 0) TilesOf<kRowsOf[kN], kN>(low + 1)(args, 0, high_count);
  TilesOf<kRowsOf[kN], kN>(low)(args, high_count * (low + 1), tiles - high_count);
}

template <int kN>
void RunVectors(const RunTileArgs& args, size_t vectors) {
  if constexpr (kN > 1) {
    if (vectors < static_cast<size_t>(kN)) return RunVectors<kN - 1>(args, vectors);
  }
  RunRows<kN>(args);
}

void RunTile(const RunTileArgs& args) {
  const size_t lanes = hn::Lanes(Tag());
  RunVectors<kMaxVectors>(args, (args.n + lanes - 1) / lanes);
}

constexpr RunTileTable kRunTiles = {hn::MaxLanes(Tag()), kMaxVectors, RunTile};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const RunTileTable& RunTiles(SimdTarget target) { WB_SIMD_TABLE(target, kRunTiles) }

}  // namespace waybill::cpu
#endif
