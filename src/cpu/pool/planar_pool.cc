// MaxPool and AveragePool of f32 with one or two spatial axes, channels first: for each output row
// the input rows of its window are combined into one, and then the taps along that.
#include <algorithm>
#include <limits>
#include <memory>

#include "base/math/checked.h"
#include "cpu/kernels/lists.h"
#include "cpu/pool/pool_rows.h"
#include "graph/infer/rules/nn/window.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using graph::infer::AxisFit;
using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerElem = 0.6;

// Outputs [begin, end) of an axis whose tap `k` lies inside the input.
struct TapRange {
  int64_t begin, end;
};
TapRange InsideOf(const AxisFit& axis, int64_t tap) {
  const int64_t shift = tap * axis.dilation - axis.pad_begin;  // position of output 0
  const int64_t begin = shift >= 0 ? 0 : CeilDiv(-shift, axis.stride);
  const int64_t end = shift >= axis.in ? 0 : (axis.in - 1 - shift) / axis.stride + 1;
  return {std::min(begin, axis.out), std::min(std::max(begin, end), axis.out)};
}

// How many taps of each output count for an average.
std::vector<float> Counts(const AxisFit& axis, bool include_pad) {
  std::vector<float> counts(static_cast<size_t>(axis.out), 0);
  for (int64_t o = 0; o < axis.out; ++o) {
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      const int64_t at = o * axis.stride - axis.pad_begin + tap * axis.dilation;
      const bool counted = include_pad ? at < axis.in + axis.pad_end : at >= 0 && at < axis.in;
      counts[static_cast<size_t>(o)] += counted ? 1.0f : 0.0f;
    }
  }
  return counts;
}

struct PoolState final : kernel::PlanState {
  AxisFit height{}, width{};
  size_t planes = 0, threads = 1;
  std::vector<float> height_counts, width_counts;  // of averages
};

template <bool kMax>
class PlanarPool final : public Kernel {
 public:
  PlanarPool(graph::infer::WindowAttrs window, bool include_pad)
      : window_(std::move(window)), include_pad_(include_pad) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& x = ctx.input_shape(0);
    WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(window_, window_.kernel));
    auto state = std::make_shared<PoolState>();
    AxisFit* const fits[] = {&state->height, &state->width};
    state->height = {};
    for (size_t i = 0; i < axes.size(); ++i) {
      WB_ASSIGN_OR_RETURN(
          *fits[2 - axes.size() + i],
          graph::infer::FitPool(axes[i], window_.auto_pad, window_.ceil_mode, x[2 + i]));
    }
    if (axes.size() == 1) state->height = OneRow();
    state->planes = static_cast<size_t>(x[0] * x[1]);
    if constexpr (!kMax) {
      state->height_counts = Counts(state->height, include_pad_ && axes.size() == 2);
      state->width_counts = Counts(state->width, include_pad_);
    }
    const size_t elems = static_cast<size_t>(x.elems());
    state->threads = ThreadsFor(elems, kNsPerElem, std::min(ctx.width(), state->planes));
    ctx.BookScratch(static_cast<size_t>(state->width.in) * sizeof(float) * state->threads);
    ctx.SetState(std::move(state));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const PoolState& state = *ctx.state<PoolState>();
    const auto* x = ctx.input(0).as<const float>();
    auto* y = ctx.output(0).as<float>();
    if (ctx.output(0).elems() == 0) return Status::Ok();
    const auto in = static_cast<size_t>(state.height.in * state.width.in);
    const auto out = static_cast<size_t>(state.height.out * state.width.out);
    const size_t threads = state.threads;
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        float* row = ctx.scratch<float>(0) + worker * static_cast<size_t>(state.width.in);
        const size_t last = state.planes * (worker + 1) / threads;
        for (size_t plane = state.planes * worker / threads; plane < last; ++plane) {
          PoolPlane(state, x + plane * in, y + plane * out, row);
        }
      }
    });
    return Status::Ok();
  }

 private:
  static constexpr float kStart = kMax ? -std::numeric_limits<float>::infinity() : 0.0f;

  static AxisFit OneRow() {
    AxisFit fit{};
    fit.in = fit.out = fit.kernel = fit.stride = fit.dilation = 1;
    return fit;
  }

  void PoolPlane(const PoolState& state, const float* x, float* y, float* row) const {
    const PoolRows& rows = PoolRowFunctions(BestTarget());
    const auto combine = kMax ? rows.max : rows.add;
    const AxisFit& height = state.height;
    const AxisFit& width = state.width;
    const auto columns = static_cast<size_t>(width.in);
    for (int64_t o = 0; o < height.out; ++o, y += width.out) {
      std::fill(row, row + columns, kStart);
      for (int64_t tap = 0; tap < height.kernel; ++tap) {
        const int64_t at = o * height.stride - height.pad_begin + tap * height.dilation;
        if (at >= 0 && at < height.in) combine(row, x + at * width.in, 1, columns);
      }
      std::fill(y, y + width.out, kStart);
      for (int64_t tap = 0; tap < width.kernel; ++tap) {
        const TapRange inside = InsideOf(width, tap);
        if (inside.begin >= inside.end) continue;
        const int64_t at = inside.begin * width.stride - width.pad_begin + tap * width.dilation;
        combine(y + inside.begin, row + at, static_cast<size_t>(width.stride),
                static_cast<size_t>(inside.end - inside.begin));
      }
      if constexpr (!kMax) Divide(state, o, y);
    }
  }

  static void Divide(const PoolState& state, int64_t o, float* y) {
    const float rows = state.height_counts[static_cast<size_t>(o)];
    for (size_t i = 0; i < state.width_counts.size(); ++i) {
      const float count = rows * state.width_counts[i];
      y[i] = count == 0 ? 0 : y[i] / count;
    }
  }

  graph::infer::WindowAttrs window_;
  bool include_pad_;
};

// One number for each plane.
template <bool kMax>
class GlobalPool final : public Kernel {
 public:
  Status Run(RunContext& ctx) const override {
    const Shape& shape = ctx.input(0).shape;
    const auto planes = static_cast<size_t>(shape.ElemsBetween(0, 2));
    const auto size = static_cast<size_t>(shape.ElemsBetween(2, shape.rank()));
    const auto* x = ctx.input(0).as<const float>();
    auto* y = ctx.output(0).as<float>();
    const PoolRows& rows = PoolRowFunctions(BestTarget());
    const size_t threads = ThreadsFor(planes * size, kNsPerElem, ctx.width());
    ParallelFor(ctx.pool(), planes, threads, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if constexpr (kMax) {
          y[i] = rows.max_of(x + i * size, size);
        } else {
          y[i] = rows.sum_of(x + i * size, size) / static_cast<float>(size);
        }
      }
    });
    return Status::Ok();
  }
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Acceptance AcceptsPool(const graph::NodeRef& node) {
  if (Acceptance types = AcceptsFloat(node); !types.ok()) return types;
  WB_REFUSE_IF(node.has_output(1), "indices are asked for");
  const auto window = graph::infer::ParseWindow(node.attrs());
  WB_REFUSE_IF(!window.ok(), "{}", window.status().message());
  const size_t axes = window->kernel.size();
  WB_REFUSE_IF(axes < 1 || axes > 2, "{} spatial axes are not 1 or 2", axes);
  return Acceptance::Yes();
}

template <bool kMax>
Result<std::unique_ptr<Kernel>> MakePool(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(auto window, graph::infer::ParseWindow(node.attrs()));
  return std::unique_ptr<Kernel>(std::make_unique<PlanarPool<kMax>>(
      std::move(window), node.attrs().Int("count_include_pad") != 0));
}

template <bool kMax>
Result<std::unique_ptr<Kernel>> MakeGlobal(const graph::NodeRef&) {
  return std::unique_ptr<Kernel>(std::make_unique<GlobalPool<kMax>>());
}

constexpr KernelImpl kMaxPool[] = {{"max_pool.planar", AcceptsPool, MakePool<true>}};
constexpr KernelImpl kAveragePool[] = {{"average_pool.planar", AcceptsPool, MakePool<false>}};
constexpr KernelImpl kGlobalMaxPool[] = {
    {"global_max_pool.planar", AcceptsFloat, MakeGlobal<true>}};
constexpr KernelImpl kGlobalAveragePool[] = {
    {"global_average_pool.planar", AcceptsFloat, MakeGlobal<false>}};
constexpr int kLast = 1 << 30;
constexpr kernel::OpKernels kPools[] = {{"", "MaxPool", 1, kLast, kMaxPool},
                                        {"", "AveragePool", 1, kLast, kAveragePool},
                                        {"", "GlobalMaxPool", 1, kLast, kGlobalMaxPool},
                                        {"", "GlobalAveragePool", 1, kLast, kGlobalAveragePool}};

}  // namespace

std::span<const kernel::OpKernels> PlanarPoolKernels() { return kPools; }

}  // namespace waybill::cpu
