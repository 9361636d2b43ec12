#include "cpu/conv/nhwc/transposed.h"

#include <algorithm>

#include "base/math/checked.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

constexpr int64_t kBlockPixels = 96;
constexpr double kNsPerMultiplication = 0.04;

int64_t Modulo(int64_t value, int64_t divisor) {
  const int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

std::vector<int64_t> TapsOfResidue(const TransposedAxis& axis, int64_t residue) {
  std::vector<int64_t> taps;
  for (int64_t t = 0; t < axis.kernel; ++t) {
    if (Modulo(t * axis.dilation, axis.stride) == residue) taps.push_back(t);
  }
  return taps;
}

std::vector<int64_t> AllTaps(const TransposedAxis& axis) {
  std::vector<int64_t> taps;
  for (int64_t t = 0; t < axis.kernel; ++t) taps.push_back(t);
  return taps;
}

// Outputs of a phase along an axis.
int64_t CountOf(const TransposedAxis& axis, int64_t phase) {
  return phase < axis.out ? CeilDiv(axis.out - phase, axis.stride) : 0;
}

size_t MaxTaps(const TransposedFilters& filters) {
  size_t taps = 0;
  for (const auto& residue : filters.residues) taps = std::max(taps, residue.layout.sizes().taps);
  return taps;
}

// Pixels of a row of one phase.
int64_t RowPixels(const TransposedConv& plan) {
  return plan.filters->merged ? plan.w.in : CountOf(plan.w, 0);
}

size_t PointerFloats(const TransposedConv& plan) {
  const auto pixels = static_cast<size_t>(plan.block_rows * RowPixels(plan));
  return AlignUp(MaxTaps(*plan.filters) * pixels * sizeof(const float*) / sizeof(float), 16);
}
size_t ZeroFloats(const TransposedConv& plan) {
  return AlignUp(plan.filters->groups * plan.filters->in_channels, 16);
}
size_t BiasFloats(const TransposedConv& plan) {
  const TransposedFilters& f = *plan.filters;
  return f.merged ? AlignUp(static_cast<size_t>(f.w.stride) * f.out_channels, 16) : 0;
}

class PhaseRunner {
 public:
  PhaseRunner(const RunTileTable& table, const TransposedConv& plan, const NhwcConvArgs& args,
              float* scratch)
      : table_(table), plan_(plan), f_(*plan.filters), args_(args), bias_(args.bias) {
    std::fill_n(scratch, ZeroFloats(plan), 0.0f);
    zeros_ = scratch;
    scratch += ZeroFloats(plan);
    pointers_ = reinterpret_cast<const float**>(scratch);
    scratch += PointerFloats(plan);
    if (f_.merged && args.bias != nullptr) {
      bias_ = scratch;
      for (int64_t i = 0; i < f_.w.stride; ++i) {
        scratch = std::copy_n(args.bias, f_.out_channels, scratch);
      }
    }
  }

  // Rows [first, last) of a vertical phase: output rows phase + row * stride.
  void Run(size_t image, int64_t phase, int64_t first, int64_t last) const {
    for (size_t column = 0; column < f_.columns(); ++column) {
      RunPhase(image, phase, static_cast<int64_t>(column), first, last);
    }
    const size_t channels = f_.groups * f_.out_channels;
    for (int64_t row = first; row < last; ++row) {
      const int64_t y = phase + row * plan_.h.stride;
      const size_t pixel = (image * static_cast<size_t>(plan_.h.out) + static_cast<size_t>(y)) *
                           static_cast<size_t>(plan_.w.out);
      args_.epilogue({pixel, static_cast<size_t>(plan_.w.out), 0, channels});
    }
  }

 private:
  void RunPhase(size_t image, int64_t phase_y, int64_t phase_x, int64_t first, int64_t last) const;
  void PointRow(const float* x, int64_t phase_y, int64_t phase_x, int64_t row, int64_t pixels,
                const TransposedFilters::Residue& residue, const float** to) const;

  const RunTileTable& table_;
  const TransposedConv& plan_;
  const TransposedFilters& f_;
  const NhwcConvArgs& args_;
  const float* bias_;
  const float* zeros_;
  const float** pointers_;
};

// For each tap of the residue the input pixels under row `row` of a phase.
void PhaseRunner::PointRow(const float* x, int64_t phase_y, int64_t phase_x, int64_t row,
                           int64_t pixels, const TransposedFilters::Residue& residue,
                           const float** to) const {
  const auto channels = static_cast<int64_t>(f_.groups * f_.in_channels);
  for (const int64_t ky : residue.taps_y) {
    const int64_t y = row + (phase_y + plan_.h.pad - ky * plan_.h.dilation) / plan_.h.stride;
    const bool inside = y >= 0 && y < plan_.h.in;
    const float* line = x + (inside ? y * plan_.w.in * channels : 0);
    const size_t columns = f_.merged ? 1 : residue.taps_x.size();
    for (size_t i = 0; i < columns; ++i, to += pixels) {
      const int64_t shift =
          f_.merged
              ? 0
              : (phase_x + plan_.w.pad - residue.taps_x[i] * plan_.w.dilation) / plan_.w.stride;
      const int64_t begin = inside ? std::clamp<int64_t>(-shift, 0, pixels) : pixels;
      const int64_t end = inside ? std::clamp(plan_.w.in - shift, begin, pixels) : pixels;
      std::fill(to, to + begin, zeros_);
      for (int64_t p = begin; p < end; ++p) to[p] = line + (p + shift) * channels;
      std::fill(to + end, to + pixels, zeros_);
    }
  }
}

void PhaseRunner::RunPhase(size_t image, int64_t phase_y, int64_t phase_x, int64_t first,
                           int64_t last) const {
  const int64_t pixels = f_.merged ? plan_.w.in : CountOf(plan_.w, phase_x);
  if (pixels == 0) return;
  const int64_t residue_y = Modulo(phase_y + plan_.h.pad, plan_.h.stride);
  const int64_t residue_x = f_.merged ? 0 : Modulo(phase_x + plan_.w.pad, plan_.w.stride);
  const TransposedFilters::Residue& residue =
      f_.residues[static_cast<size_t>(residue_y) * f_.columns() + static_cast<size_t>(residue_x)];
  const FilterLayout& layout = residue.layout;
  const FilterSizes& sizes = layout.sizes();
  const size_t channels = f_.groups * f_.out_channels;
  const auto in_pixels = static_cast<size_t>(plan_.h.in * plan_.w.in);
  const float* x = args_.x + image * in_pixels * f_.groups * f_.in_channels;
  const size_t row_pointers = sizes.taps * static_cast<size_t>(pixels);
  for (int64_t row = first; row < last; ++row) {
    PointRow(x, phase_y, phase_x, row, pixels, residue,
             pointers_ + static_cast<size_t>(row - first) * row_pointers);
  }
  RunTileArgs tile;
  tile.rows_stride = static_cast<size_t>(pixels);
  tile.runs = sizes.in_channels == 0 ? 0 : sizes.taps;
  tile.run_length = sizes.in_channels;
  tile.m = static_cast<size_t>(pixels);
  tile.ldc = static_cast<size_t>(plan_.w.stride) * channels;
  tile.clamp = args_.clamp;
  tile.low = args_.low;
  tile.high = args_.high;
  for (size_t g = 0; g < sizes.groups; ++g) {
    tile.offset = g * sizes.in_channels;
    for (size_t p = 0; p < layout.panels(); ++p) {
      const size_t channel = g * sizes.out_channels + layout.PanelColumn(p);
      tile.panel = args_.weights + residue.offset + layout.Offset(g, p);
      tile.n = layout.PanelColumns(p);
      tile.bias = bias_ != nullptr ? bias_ + channel : nullptr;
      for (int64_t row = first; row < last; ++row) {
        const int64_t y = phase_y + row * plan_.h.stride;
        const size_t pixel = (image * static_cast<size_t>(plan_.h.out) + static_cast<size_t>(y)) *
                                 static_cast<size_t>(plan_.w.out) +
                             static_cast<size_t>(phase_x);
        tile.rows = pointers_ + static_cast<size_t>(row - first) * row_pointers;
        tile.c = args_.y + pixel * channels + channel;
        table_.run(tile);
      }
    }
  }
}

}  // namespace

bool CanMerge(size_t groups, const TransposedAxis& w) {
  return groups == 1 && w.kernel == w.stride && w.dilation == 1 && w.stride > 1;
}

TransposedFilters MakeTransposedFilters(const RunTileTable& table, size_t groups,
                                        size_t in_channels, size_t out_channels,
                                        const TransposedAxis& h, const TransposedAxis& w,
                                        bool merged) {
  TransposedFilters out;
  out.groups = groups;
  out.in_channels = in_channels;
  out.out_channels = out_channels;
  out.h = h;
  out.w = w;
  out.merged = merged;
  for (int64_t y = 0; y < h.stride; ++y) {
    for (size_t x = 0; x < out.columns(); ++x) {
      TransposedFilters::Residue residue;
      residue.taps_y = TapsOfResidue(h, y);
      residue.taps_x = merged ? AllTaps(w) : TapsOfResidue(w, static_cast<int64_t>(x));
      FilterSizes sizes{groups, in_channels, out_channels, residue.taps_y.size()};
      if (merged) {
        sizes.out_channels *= residue.taps_x.size();
      } else {
        sizes.taps *= residue.taps_x.size();
      }
      residue.layout = FilterLayout(table, sizes);
      residue.offset = out.floats;
      out.floats += residue.layout.floats();
      out.residues.push_back(std::move(residue));
    }
  }
  return out;
}

void PackTransposed(const TransposedFilters& filters, const void* weights, bool splat, float* out) {
  const auto taps_w = static_cast<size_t>(filters.w.kernel);
  const size_t taps = static_cast<size_t>(filters.h.kernel) * taps_w;
  for (const auto& residue : filters.residues) {
    const size_t columns = residue.taps_x.size();
    const auto at = [&](size_t g, size_t n, size_t tap, size_t c) -> size_t {
      if (splat) return 0;
      const size_t ky = filters.merged ? tap : tap / columns;
      const size_t kx = filters.merged ? n / filters.out_channels : tap % columns;
      const size_t channel = filters.merged ? n % filters.out_channels : n;
      const size_t position = static_cast<size_t>(residue.taps_y[ky]) * taps_w +
                              static_cast<size_t>(residue.taps_x[kx]);
      const size_t filter = (g * filters.in_channels + c) * filters.out_channels + channel;
      return filter * taps + position;
    };
    PackFilters(residue.layout, weights, at, out + residue.offset);
  }
}

TransposedConv MakeTransposedConv(const TransposedFilters& filters, size_t batch,
                                  const TransposedAxis& h, const TransposedAxis& w) {
  TransposedConv plan;
  plan.filters = &filters;
  plan.batch = batch;
  plan.h = h;
  plan.w = w;
  plan.block_rows = std::clamp<int64_t>(kBlockPixels / std::max<int64_t>(RowPixels(plan), 1), 1,
                                        std::max<int64_t>(CountOf(h, 0), 1));
  plan.scratch_floats = ZeroFloats(plan) + PointerFloats(plan) + BiasFloats(plan);
  return plan;
}

void RunTransposedConv(const RunTileTable& table, const TransposedConv& plan,
                       const NhwcConvArgs& args, ThreadPool* pool, size_t width) {
  const TransposedFilters& f = *plan.filters;
  if (plan.batch == 0 || plan.h.out <= 0 || plan.w.out <= 0 || f.out_channels == 0) return;
  const size_t work = plan.batch * f.groups * f.in_channels * f.out_channels *
                      static_cast<size_t>(plan.h.in * plan.w.in * plan.h.kernel * plan.w.kernel);
  const size_t threads = ThreadsFor(work, kNsPerMultiplication, width);
  // Blocks of the longest phase; shorter ones have fewer.
  const auto blocks = static_cast<size_t>(CeilDiv(CountOf(plan.h, 0), plan.block_rows));
  const auto phases = static_cast<size_t>(plan.h.stride);
  const size_t items = plan.batch * blocks * phases;
  ItemQueue queue(items, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      const PhaseRunner runner(table, plan, args, args.scratch + task * plan.scratch_floats);
      for (size_t item; queue.Next(task, item);) {
        const auto phase = static_cast<int64_t>(item % phases);
        const int64_t first = static_cast<int64_t>(item / phases % blocks) * plan.block_rows;
        const int64_t last = std::min(first + plan.block_rows, CountOf(plan.h, phase));
        if (first < last) runner.Run(item / phases / blocks, phase, first, last);
      }
    }
  });
}

}  // namespace waybill::cpu
