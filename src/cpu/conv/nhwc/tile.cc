#include "cpu/conv/nhwc/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/nhwc/tile.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/mul_add-inl.h"
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
constexpr size_t kUnroll = 4;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// What happens to finished sums, read once: stores to C could change it otherwise.
template <int kM, int kN>
class Finish {
 public:
  explicit Finish(const RunTileArgs& args)
      : c_(args.c),
        residual_(args.residual),
        ldc_(args.ldc),
        residual_ld_(args.residual_ld),
        rest_(args.n - static_cast<size_t>(kN - 1) * hn::Lanes(Tag())),
        add_(args.add),
        clamp_(args.clamp),
        low_(args.low),
        high_(args.high) {
    const bool zero = add_ || args.bias == nullptr;
    for (int j = 0; j < kN; ++j) {
      hn::Store(zero ? hn::Zero(Tag()) : Load(args.bias, j), Tag(), bias_ + At(j));
    }
  }

  // Stores wait for their lines one after the other.
  HWY_INLINE void Fetch(size_t row, size_t count) const {
    const float* c = c_ + row * ldc_;
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i, c += static_cast<size_t>(i) < count ? ldc_ : 0) {
      __builtin_prefetch(c, 1, 3);
      if (kN > 1) __builtin_prefetch(c + At(kN - 1), 1, 3);
    }
  }

  HWY_INLINE void Rows(size_t row, size_t count, Vec (&sums)[kM][kN]) const {
    const Tag d;
    if (count == kM && rest_ == hn::Lanes(d)) {
      Whole(row, sums);
      return;
    }
    HWY_ALIGN float rows[kM][static_cast<size_t>(kN) * hn::MaxLanes(Tag())];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) hn::Store(sums[i][j], d, rows[i] + At(j));
    }
    for (size_t i = 0; i < count; ++i) Cut(row + i, rows[i]);
  }

 private:
  static HWY_INLINE size_t At(int j) { return static_cast<size_t>(j) * hn::Lanes(Tag()); }

  HWY_INLINE Vec Load(const float* from, int j) const {
    const Tag d;
    const bool whole = j + 1 < kN || rest_ == hn::Lanes(d);
    return whole ? hn::LoadU(d, from + At(j)) : LoadFirst(d, from + At(j), rest_);
  }

  static HWY_INLINE void AddTo(Vec (&sums)[kM][kN], const float* from, size_t ld) {
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i, from += ld) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) {
        sums[i][j] = hn::Add(sums[i][j], hn::LoadU(Tag(), from + At(j)));
      }
    }
  }

  HWY_INLINE void Whole(size_t row, Vec (&sums)[kM][kN]) const {
    const Tag d;
    float* c = c_ + row * ldc_;
    if (add_) {
      AddTo(sums, c, ldc_);
    } else {
      AddTo(sums, bias_, 0);
    }
    if (residual_ != nullptr) AddTo(sums, residual_ + row * residual_ld_, residual_ld_);
    if (clamp_) {
      const Vec low = hn::Set(d, low_), high = hn::Set(d, high_);
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) {
        HWY_UNROLL(4)
        for (int j = 0; j < kN; ++j) sums[i][j] = ClampKeepingNan(d, sums[i][j], low, high);
      }
    }
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i, c += ldc_) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) hn::StoreU(sums[i][j], d, c + At(j));
    }
  }

  // One row, whose last vector may be cut.
  void Cut(size_t row, const float* sums) const {
    const Tag d;
    float* c = c_ + row * ldc_;
    for (int j = 0; j < kN; ++j) {
      Vec v = hn::Load(d, sums + At(j));
      v = hn::Add(v, add_ ? Load(c, j) : hn::Load(d, bias_ + At(j)));
      if (residual_ != nullptr) v = hn::Add(v, Load(residual_ + row * residual_ld_, j));
      if (clamp_) v = ClampKeepingNan(d, v, hn::Set(d, low_), hn::Set(d, high_));
      if (j + 1 < kN || rest_ == hn::Lanes(d)) {
        hn::StoreU(v, d, c + At(j));
      } else {
        StoreFirst(d, v, c + At(j), rest_);
      }
    }
  }

  float* c_;
  const float* residual_;
  size_t ldc_, residual_ld_;
  size_t rest_;  // columns of the last vector
  bool add_, clamp_;
  float low_, high_;
  HWY_ALIGN float bias_[static_cast<size_t>(kN) * hn::MaxLanes(Tag())];
};

template <int kM, int kN>
HWY_INLINE void AddStep(const float* const (&a)[kM], size_t k, const float* HWY_RESTRICT b,
                        Vec (&acc)[kM][kN]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec bv[kN];
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    const auto av = ForAllLanes(d, a[i][k]);
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) MulAddTo(acc[i][j], av, bv[j]);
  }
}

// Adds `length` steps of k.
template <int kM, int kN>
HWY_INLINE void AddSteps(const float* const (&a)[kM], size_t k, size_t length,
                         const float* HWY_RESTRICT& b, Vec (&acc)[kM][kN]) {
  const size_t pitch = static_cast<size_t>(kN) * hn::Lanes(Tag());
  const size_t end = k + length;
  for (; k + kUnroll <= end; k += kUnroll, b += kUnroll * pitch) {
    HWY_UNROLL(4)
    for (size_t i = 0; i < kUnroll; ++i) AddStep<kM, kN>(a, k + i, b + i * pitch, acc);
  }
  for (; k < end; ++k, b += pitch) AddStep<kM, kN>(a, k, b, acc);
}

template <int kM, int kN>
HWY_INLINE void SetZero(Vec (&acc)[kM][kN]) {
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) acc[i][j] = hn::Zero(Tag());
  }
}

HWY_INLINE const float* FetchLines(const float* from, size_t lines) {
  for (; lines > 0; --lines, from += kLineFloats) __builtin_prefetch(from, 0, 2);
  return from;
}

// One tile's sums; row i of C has its pointers at rows[at[i]]. Before each `kLineFloats` steps,
// `lines` lines of the next panel are fetched.
template <int kM, int kN>
HWY_INLINE void Sum(const RunTileArgs& args, const float* const* rows, const size_t (&at)[kM],
                    const float* const* next, const float* next_panel, size_t lines,
                    Vec (&acc)[kM][kN]) {
  SetZero(acc);
  const float* HWY_RESTRICT b = args.panel;
  const size_t length = args.run_length, offset = args.offset, stride = args.rows_stride;
  for (size_t runs = args.runs; runs > 0; --runs, rows += stride, next += stride) {
    const float* a[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) a[i] = rows[at[i]] + offset;
    size_t k = 0;
    for (; k + kLineFloats <= length; k += kLineFloats) {
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) __builtin_prefetch(next[at[i]] + offset + k, 0, 3);
      next_panel = FetchLines(next_panel, lines);
      AddSteps<kM, kN>(a, k, kLineFloats, b, acc);
    }
    AddSteps<kM, kN>(a, k, length - k, b, acc);
  }
}

// The same where every run lies `run_step` behind the one before it, all of them in cache; lines
// of the next panel are fetched before each run.
template <int kM, int kN>
HWY_INLINE void SumSteps(const RunTileArgs& args, const float* const* rows, const size_t (&at)[kM],
                         const float* next_panel, size_t lines, Vec (&acc)[kM][kN]) {
  SetZero(acc);
  const float* HWY_RESTRICT b = args.panel;
  const size_t length = args.run_length, step = args.run_step;
  const float* a[kM];
  HWY_UNROLL(8)
  for (int i = 0; i < kM; ++i) a[i] = rows[at[i]] + args.offset;
  for (size_t runs = args.runs; runs > 0; --runs) {
    next_panel = FetchLines(next_panel, lines);
    AddSteps<kM, kN>(a, 0, length, b, acc);
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) a[i] += step;
  }
}

// All rows, in tiles of one height; where there are too few for the last, it computes its last row
// again and again, which costs less than thin tiles that wait for their own sums.
template <int kM, int kN>
HWY_NOINLINE void RunRows(const RunTileArgs& args) {
  const Finish<kM, kN> finish(args);
  const size_t m = args.m;
  // Each tile fetches its share of the next panel, step by step.
  const bool by_steps = args.rows_stride == 0;
  const size_t steps = args.runs * (by_steps ? 1 : args.run_length / kLineFloats);
  const size_t share = args.next_panel != nullptr ? args.next_floats / m : 0;
  const size_t height = HWY_MIN(m, static_cast<size_t>(kM));
  const size_t lines = share * height / (steps * kLineFloats + 1) + (share != 0 ? 1 : 0);
  for (size_t row = 0; row < m; row += kM) {
    const size_t count = HWY_MIN(m - row, static_cast<size_t>(kM));
    const float* const* rows = args.rows + row;
    size_t at[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) at[i] = HWY_MIN(static_cast<size_t>(i), count - 1);
    finish.Fetch(row, count);
    const float* next_panel = args.next_panel + row * share;
    Vec acc[kM][kN];
    if (by_steps) {
      SumSteps<kM, kN>(args, rows, at, next_panel, lines, acc);
    } else {
      // Pixels of the next tile, where no earlier panel has brought them into the cache.
      const float* const* next = args.fetch_ahead && m - row >= 2 * kM ? rows + kM : rows;
      Sum<kM, kN>(args, rows, at, next, next_panel, lines, acc);
    }
    finish.Rows(row, count, acc);
  }
}

template <int kN>
void RunVectors(const RunTileArgs& args, size_t vectors) {
  if constexpr (kN > 1) {
    if (vectors < static_cast<size_t>(kN)) return RunVectors<kN - 1>(args, vectors);
  }
  // A pixel or two, as behind a global pool: thin tiles do not wait for as long as all rows take.
  if (args.m == 1) return RunRows<1, kN>(args);
  if (args.m == 2) return RunRows<2, kN>(args);
  RunRows<kRowsOf[kN], kN>(args);
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
