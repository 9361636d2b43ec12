#include "cpu/conv/nhwc/pool.h"

#include <algorithm>
#include <utility>

#include "base/math/checked.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

constexpr double kNsPerTap = 0.1;
constexpr int64_t kBandRows = 8;
constexpr int64_t kMaxTaps = 1024;  // that one call of the kernel is given

// The taps of output `o` that lie in the input: [first, last) of the kernel.
struct Taps {
  int64_t first = 0, last = 0;
  int64_t start = 0;    // input position of tap 0
  int64_t counted = 0;  // taps in the input or the declared padding
};

Taps TapsOf(const PoolAxis& axis, int64_t o) {
  Taps taps;
  taps.start = o * axis.stride - axis.pad_begin;
  const auto below = [&](int64_t limit) {
    if (limit <= taps.start) return int64_t{0};
    const int64_t room = limit - taps.start;
    return std::min(axis.dilation == 1 ? room : CeilDiv(room, axis.dilation), axis.kernel);
  };
  taps.first = below(0);
  taps.last = std::max(below(axis.in), taps.first);
  taps.counted = below(axis.in + axis.pad_end);
  return taps;
}

// Positions [first, second) of the output whose taps all lie in the input.
std::pair<int64_t, int64_t> Inside(const PoolAxis& axis) {
  const int64_t begin = std::clamp<int64_t>(CeilDiv(axis.pad_begin, axis.stride), 0, axis.out);
  const int64_t room = axis.in - axis.reach() + axis.pad_begin;
  return {begin, room < 0 ? begin : std::clamp(room / axis.stride + 1, begin, axis.out)};
}

// One pointer for each tap, to whole cache lines.
size_t PointerFloats(const Pool2d& pool) {
  const auto taps = static_cast<size_t>(pool.h.kernel * pool.w.kernel);
  return AlignUp(taps * sizeof(const float*) / sizeof(float), 16);
}

class PoolRunner {
 public:
  PoolRunner(const PoolTable& table, const PoolPlan& plan, const PoolArgs& args, float* scratch)
      : table_(table),
        plan_(plan),
        p_(plan.pool),
        args_(args),
        pitch_(static_cast<int64_t>(args.y_pitch != 0 ? args.y_pitch : plan.pool.channels)),
        inside_(Inside(plan.pool.w)) {
    taps_ = reinterpret_cast<const float**>(scratch);
    rows_ = scratch + PointerFloats(p_);
  }

  // Output rows [y0, y1) of an image.
  void Run(size_t image, int64_t y0, int64_t y1) const {
    const auto channels = static_cast<int64_t>(p_.channels);
    const float* x = args_.x + static_cast<int64_t>(image) * p_.h.in * p_.w.in * channels;
    float* y = args_.y + static_cast<int64_t>(image) * p_.h.out * p_.w.out * pitch_;
    if (plan_.separable) {
      RunSeparable(x, y, y0, y1);
      return;
    }
    for (int64_t oy = y0; oy < y1; ++oy) {
      const Taps h = TapsOf(p_.h, oy);
      float* row = y + oy * p_.w.out * pitch_;
      ForSpans([&](int64_t ox, int64_t pixels) {
        RunPixels(x, h, TapsOf(p_.w, ox), pixels, row + ox * pitch_);
      });
    }
  }

 private:
  // fn(position, pixels) for all pixels of a row: one by one where taps lie outside.
  template <typename Fn>
  void ForSpans(const Fn& fn) const {
    for (int64_t ox = 0; ox < inside_.first; ++ox) fn(ox, 1);
    if (inside_.first < inside_.second) fn(inside_.first, inside_.second - inside_.first);
    for (int64_t ox = inside_.second; ox < p_.w.out; ++ox) fn(ox, 1);
  }

  PoolTileArgs Tile(int64_t pixels, float* y) const {
    PoolTileArgs tile;
    tile.taps = taps_;
    tile.channels = p_.channels;
    tile.y = y;
    tile.y_pitch = static_cast<size_t>(pitch_);
    tile.pixels = static_cast<size_t>(pixels);
    tile.pixel_step = static_cast<size_t>(p_.w.stride) * p_.channels;
    return tile;
  }

  // `w` is that of the first pixel.
  void RunPixels(const float* x, const Taps& h, const Taps& w, int64_t pixels, float* y) const {
    const auto channels = static_cast<int64_t>(p_.channels);
    PoolTileArgs tile = Tile(pixels, y);
    for (int64_t ky = h.first; ky < h.last; ++ky) {
      const float* row = x + (h.start + ky * p_.h.dilation) * p_.w.in * channels;
      for (int64_t kx = w.first; kx < w.last; ++kx) {
        taps_[tile.count++] = row + (w.start + kx * p_.w.dilation) * channels;
      }
    }
    if (!p_.average) {
      table_.max(tile);
      return;
    }
    const int64_t counted =
        p_.count_include_pad ? h.counted * w.counted : static_cast<int64_t>(tile.count);
    tile.divisor = static_cast<float>(std::max<int64_t>(counted, 1));
    table_.average(tile);
  }

  void RunSeparable(const float* x, float* y, int64_t y0, int64_t y1) const {
    const auto channels = static_cast<int64_t>(p_.channels);
    const int64_t row_floats = p_.w.out * channels;
    const int64_t first = std::max<int64_t>(y0 * p_.h.stride - p_.h.pad_begin, 0);
    const int64_t last = std::min((y1 - 1) * p_.h.stride - p_.h.pad_begin + p_.h.reach(), p_.h.in);
    for (int64_t iy = first; iy < last; ++iy) {
      ForSpans([&](int64_t ox, int64_t pixels) {
        const Taps w = TapsOf(p_.w, ox);
        PoolTileArgs tile = Tile(pixels, rows_ + (iy - first) * row_floats + ox * channels);
        tile.y_pitch = p_.channels;
        for (int64_t kx = w.first; kx < w.last; ++kx) {
          taps_[tile.count++] = x + (iy * p_.w.in + w.start + kx * p_.w.dilation) * channels;
        }
        table_.max(tile);
      });
    }
    // A row of pixels at a time: to the kernel they are channels, where they lie without gaps.
    PoolTileArgs tile = Tile(p_.w.out, nullptr);
    tile.pixel_step = p_.channels;
    if (pitch_ == channels) {
      tile.channels = static_cast<size_t>(row_floats);
      tile.pixels = 1;
    }
    for (int64_t oy = y0; oy < y1; ++oy) {
      const Taps h = TapsOf(p_.h, oy);
      tile.count = 0;
      for (int64_t ky = h.first; ky < h.last; ++ky) {
        taps_[tile.count++] = rows_ + (h.start + ky * p_.h.dilation - first) * row_floats;
      }
      tile.y = y + oy * p_.w.out * pitch_;
      table_.max(tile);
    }
  }

  const PoolTable& table_;
  const PoolPlan& plan_;
  const Pool2d& p_;
  const PoolArgs& args_;
  int64_t pitch_;  // floats from pixel to pixel of y
  std::pair<int64_t, int64_t> inside_;
  const float** taps_;
  float* rows_;
};

}  // namespace

bool PoolFits(const Pool2d& pool) { return pool.h.kernel * pool.w.kernel <= kMaxTaps; }

PoolPlan MakePoolPlan(const Pool2d& pool) {
  PoolPlan plan;
  plan.pool = pool;
  const int64_t direct = pool.h.kernel * pool.w.kernel;
  const int64_t apart = pool.w.kernel * std::min(pool.h.stride, pool.h.kernel) + pool.h.kernel;
  plan.separable = !pool.average && apart * 3 / 2 < direct;
  plan.band_rows = std::max<int64_t>(plan.separable ? 2 * pool.h.reach() : kBandRows, 1);
  plan.band_rows = std::min(plan.band_rows, std::max<int64_t>(pool.h.out, 1));
  plan.scratch_floats = PointerFloats(pool);
  if (plan.separable) {
    const int64_t rows = std::min((plan.band_rows - 1) * pool.h.stride + pool.h.reach(), pool.h.in);
    const auto floats = static_cast<size_t>(rows * pool.w.out) * pool.channels;
    plan.scratch_floats += AlignUp(floats, 16);
  }
  return plan;
}

namespace {

size_t ThreadsOf(const Pool2d& p, size_t width) {
  const size_t outputs = p.batch * static_cast<size_t>(p.h.out * p.w.out) * p.channels;
  return ThreadsFor(outputs * static_cast<size_t>(p.h.kernel * p.w.kernel), kNsPerTap, width);
}

// Output o sees no input before input o.
bool KeepsAhead(const PoolAxis& axis) {
  return axis.out <= axis.in && axis.stride - axis.pad_begin >= 1;
}

}  // namespace

bool PoolsInPlace(const PoolPlan& plan, size_t width) {
  const Pool2d& p = plan.pool;
  return KeepsAhead(p.h) && KeepsAhead(p.w) && ThreadsOf(p, width) == 1;
}

void RunPool(const PoolTable& table, const PoolPlan& plan, const PoolArgs& args, ThreadPool* pool,
             size_t width) {
  const Pool2d& p = plan.pool;
  const auto pixels = static_cast<size_t>(p.h.out * p.w.out);
  if (p.batch * pixels * p.channels == 0) return;
  const size_t threads = ThreadsOf(p, width);
  int64_t rows = plan.band_rows;
  if (threads > 1) {
    const auto wanted = static_cast<int64_t>(CeilDiv(4 * threads, p.batch));
    rows = std::clamp<int64_t>(p.h.out / wanted, 1, rows);
  }
  const auto bands = static_cast<size_t>(CeilDiv(p.h.out, rows));
  ItemQueue queue(p.batch * bands, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      const PoolRunner runner(table, plan, args, args.scratch + task * plan.scratch_floats);
      for (size_t item; queue.Next(task, item);) {
        const int64_t y0 = static_cast<int64_t>(item % bands) * rows;
        runner.Run(item / bands, y0, std::min(y0 + rows, p.h.out));
      }
    }
  });
}

}  // namespace waybill::cpu
