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

// What happens to finished sums, read once: stores to C could change it otherwise.
template <int kN>
struct Finish {
  explicit Finish(const RunTileArgs& args)
      : c(args.c),
        residual(args.residual),
        ldc(args.ldc),
        residual_ld(args.residual_ld),
        rest(args.n - static_cast<size_t>(kN - 1) * hn::Lanes(Tag())),
        add(args.add),
        clamp(args.clamp),
        low(args.low),
        high(args.high) {
    const Tag d;
    for (int j = 0; j < kN; ++j) {
      const bool zero = add || args.bias == nullptr;
      hn::Store(zero ? hn::Zero(d) : Load(args.bias, j), d, bias + static_cast<size_t>(j) * lanes);
    }
  }

  HWY_INLINE Vec Load(const float* from, int j) const {
    const Tag d;
    from += static_cast<size_t>(j) * lanes;
    return j + 1 < kN || rest == lanes ? hn::LoadU(d, from) : LoadFirst(d, from, rest);
  }

  // Stores wait for their lines one after the other.
  HWY_INLINE void Fetch(size_t row) const {
    const float* at = c + row * ldc;
    __builtin_prefetch(at, 1, 3);
    __builtin_prefetch(at + static_cast<size_t>(kN - 1) * lanes + rest - 1, 1, 3);
  }

  HWY_INLINE void Row(size_t row, Vec (&sums)[kN]) const {
    const Tag d;
    float* to = c + row * ldc;
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const Vec more = add ? Load(to, j) : hn::Load(d, bias + static_cast<size_t>(j) * lanes);
      sums[j] = hn::Add(sums[j], more);
    }
    if (residual != nullptr) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) {
        sums[j] = hn::Add(sums[j], Load(residual + row * residual_ld, j));
      }
    }
    if (clamp) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) {
        sums[j] = ClampKeepingNan(d, sums[j], hn::Set(d, low), hn::Set(d, high));
      }
    }
    HWY_UNROLL(4)
    for (int j = 0; j + 1 < kN; ++j) hn::StoreU(sums[j], d, to + static_cast<size_t>(j) * lanes);
    to += static_cast<size_t>(kN - 1) * lanes;
    if (rest == lanes) {
      hn::StoreU(sums[kN - 1], d, to);
    } else {
      StoreFirst(d, sums[kN - 1], to, rest);
    }
  }

  const size_t lanes = hn::Lanes(Tag());
  float* c;
  const float* residual;
  size_t ldc, residual_ld;
  size_t rest;  // columns of the last vector
  bool add, clamp;
  float low, high;
  HWY_ALIGN float bias[static_cast<size_t>(kN) * hn::MaxLanes(Tag())];
};

// Adds `length` steps of k.
template <int kM, int kN>
HWY_INLINE void AddSteps(const float* const (&a)[kM], size_t k, size_t length,
                         const float* HWY_RESTRICT& b, Vec (&acc)[kM][kN]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  for (const size_t end = k + length; k < end; ++k) {
    Vec bv[kN];
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
    b += static_cast<size_t>(kN) * lanes;
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      const Vec av = hn::Set(d, a[i][k]);
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) acc[i][j] = hn::MulAdd(av, bv[j], acc[i][j]);
    }
  }
}

// One tile's sums. Rows of C are read through rows[at[i]].
template <int kM, int kN>
HWY_INLINE void Sum(const RunTileArgs& args, const float* const* rows, const size_t (&at)[kM],
                    const float* const* next, const float* next_panel, size_t step_lines,
                    Vec (&acc)[kM][kN]) {
  const Tag d;
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = hn::Zero(d);
  }
  const float* HWY_RESTRICT b = args.panel;
  const size_t length = args.run_length, stride = args.rows_stride;
  size_t offset = args.offset;
  for (size_t runs = args.runs; runs > 0;
       --runs, rows += stride, next += stride, offset += args.run_step) {
    const float* a[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) a[i] = rows[at[i]] + offset;
    size_t k = 0;
    for (; k + kLineFloats <= length; k += kLineFloats) {
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) __builtin_prefetch(next[i] + offset + k, 0, 3);
      for (size_t i = 0; i < step_lines; ++i, next_panel += kLineFloats) {
        __builtin_prefetch(next_panel, 0, 2);
      }
      AddSteps<kM, kN>(a, k, kLineFloats, b, acc);
    }
    AddSteps<kM, kN>(a, k, length - k, b, acc);
  }
}

// All rows, in tiles of one height; where there are too few for the last, it computes its last row
// again and again, which costs less than thin tiles that wait for their own sums.
template <int kN>
HWY_NOINLINE void RunRows(const RunTileArgs& args) {
  constexpr int kM = kRowsOf[kN];
  const Finish<kN> finish(args);
  const size_t m = args.m;
  // Each tile fetches its share of the next panel, step by step.
  const size_t steps = args.runs * (args.run_length / kLineFloats);
  const size_t share = args.next_panel != nullptr ? args.next_floats / m : 0;
  const size_t step_lines = share * kM / (steps * kLineFloats + 1) + (share != 0 ? 1 : 0);
  for (size_t row = 0; row < m; row += kM) {
    const size_t count = HWY_MIN(m - row, static_cast<size_t>(kM));
    const float* const* rows = args.rows + row;
    size_t at[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) at[i] = HWY_MIN(static_cast<size_t>(i), count - 1);
    // Pixels of the next tile, where no earlier panel has brought them into the cache.
    const float* const* next = args.fetch_ahead && m - row >= 2 * kM ? rows + kM : rows;
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) finish.Fetch(row + at[i]);
    Vec acc[kM][kN];
    Sum<kM, kN>(args, rows, at, next, args.next_panel + row * share, step_lines, acc);
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      if (static_cast<size_t>(i) < count) finish.Row(row + static_cast<size_t>(i), acc[i]);
    }
  }
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
