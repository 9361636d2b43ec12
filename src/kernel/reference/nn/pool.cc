#include <cmath>
#include <limits>
#include <memory>

#include "base/math/checked.h"
#include "graph/infer/rules/nn/window.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::AxisFit;

struct PoolParams {
  graph::infer::WindowAttrs window;
  bool count_include_pad = false;
  bool column_major = false;  // of MaxPool's indices
  double p = 2;               // of LpPool
};

struct PoolGeometry : PlanState {
  std::vector<AxisFit> axes;
  int64_t channels = 0;  // batch included
  int64_t in_size = 1, out_size = 1, taps = 1;
};

Result<PoolParams> ParsePool(const graph::NodeRef& node) {
  PoolParams p;
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  p.count_include_pad = node.attrs().Int("count_include_pad") != 0;
  p.column_major = node.attrs().Int("storage_order") != 0;
  p.p = node.attrs().Has("p") && node.attrs().Get<float>("p") != nullptr
            ? static_cast<double>(node.attrs().Float("p"))
            : static_cast<double>(node.attrs().Int("p", 2));
  return p;
}

Status PlanPool(const PoolParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& x = ctx.input_shape(0);
  WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(p.window, p.window.kernel));
  auto g = std::make_shared<PoolGeometry>();
  g->channels = x[0] * x[1];
  for (size_t i = 0; i < axes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const AxisFit fit, graph::infer::FitPool(axes[i], p.window.auto_pad,
                                                                 p.window.ceil_mode, x[2 + i]));
    g->in_size *= fit.in;
    const auto out_size = CheckedMul(g->out_size, fit.out);
    if (!out_size) return Error(Code::kInvalidArgument, "the output of {} is too large", x);
    g->out_size = *out_size;
    const auto taps = CheckedMul(g->taps, fit.kernel);
    if (!taps)
      return Error(Code::kInvalidArgument, "kernel_shape {} is too large", p.window.kernel);
    g->taps = *taps;
    g->axes.push_back(fit);
  }
  ctx.SetState(std::move(g));
  return Status::Ok();
}

// A tap's place: in the input at `offset`, or in the declared padding, or beyond it.
enum class Place { kInside, kPadding, kBeyond };

Place Locate(const PoolGeometry& g, int64_t out_index, int64_t tap, int64_t* offset) {
  int64_t stride = 1, sum = 0;
  Place place = Place::kInside;
  for (size_t i = g.axes.size(); i-- > 0;) {
    const AxisFit& axis = g.axes[i];
    const int64_t pos =
        out_index % axis.out * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
    if (pos >= axis.in + axis.pad_end) return Place::kBeyond;
    if (pos < 0 || pos >= axis.in) place = Place::kPadding;
    sum += pos * stride;
    stride *= axis.in;
    out_index /= axis.out;
    tap /= axis.kernel;
  }
  *offset = sum;
  return place;
}

// Row-major offset within a channel to the column-major one (first spatial axis fastest).
int64_t ColumnMajor(const PoolGeometry& g, int64_t offset) {
  int64_t out = 0, stride = g.in_size;
  for (size_t i = g.axes.size(); i-- > 0;) {
    stride /= g.axes[i].in;
    out += offset % g.axes[i].in * stride;
    offset /= g.axes[i].in;
  }
  return out;
}

template <typename T>
T Lowest() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::lowest();
  } else {
    return static_cast<T>(-std::numeric_limits<float>::infinity());
  }
}

Status RunMaxPool(const PoolParams& p, RunContext& ctx) {
  const PoolGeometry& g = *ctx.state<PoolGeometry>();
  using Types = FloatTypes::With<int8_t, uint8_t>;
  return DispatchDType(ctx.input(0).dtype, Types{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.wants_output(0) ? ctx.output(0).as<T>() : nullptr;
    int64_t* const indices = ctx.wants_output(1) ? ctx.output(1).as<int64_t>() : nullptr;
    ForEachPiece(ctx, static_cast<size_t>(g.channels), [&](size_t piece, size_t) {
      const auto channel = static_cast<int64_t>(piece);
      for (int64_t out = 0; out < g.out_size; ++out) {
        T best = Lowest<T>();
        int64_t best_offset = -1;
        for (int64_t tap = 0; tap < g.taps; ++tap) {
          int64_t offset = 0;
          if (Locate(g, out, tap, &offset) != Place::kInside) continue;
          const T value = x[channel * g.in_size + offset];
          const auto v = static_cast<double>(value);
          // A NaN wins once and stays.
          if (best_offset < 0 || v > static_cast<double>(best) ||
              (std::isnan(v) && !std::isnan(static_cast<double>(best)))) {
            best = value;
            best_offset = offset;
          }
        }
        if (y != nullptr) y[channel * g.out_size + out] = best;
        if (indices == nullptr) continue;
        if (p.column_major && best_offset >= 0) best_offset = ColumnMajor(g, best_offset);
        indices[channel * g.out_size + out] =
            best_offset < 0 ? -1 : channel * g.in_size + best_offset;
      }
    });
    return Status::Ok();
  });
}

Status RunAveragePool(const PoolParams& p, RunContext& ctx) {
  const PoolGeometry& g = *ctx.state<PoolGeometry>();
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(g.channels), [&](size_t piece, size_t) {
      const auto channel = static_cast<int64_t>(piece);
      for (int64_t out = 0; out < g.out_size; ++out) {
        double sum = 0;
        int64_t count = 0;
        for (int64_t tap = 0; tap < g.taps; ++tap) {
          int64_t offset = 0;
          const Place place = Locate(g, out, tap, &offset);
          if (place == Place::kInside) sum += static_cast<double>(x[channel * g.in_size + offset]);
          if (place == Place::kInside || (place == Place::kPadding && p.count_include_pad)) ++count;
        }
        y[channel * g.out_size + out] =
            static_cast<T>(count == 0 ? 0.0 : sum / static_cast<double>(count));
      }
    });
    return Status::Ok();
  });
}

Status RunLpPool(const PoolParams& p, RunContext& ctx) {
  const PoolGeometry& g = *ctx.state<PoolGeometry>();
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(g.channels), [&](size_t piece, size_t) {
      const auto channel = static_cast<int64_t>(piece);
      for (int64_t out = 0; out < g.out_size; ++out) {
        double sum = 0;
        for (int64_t tap = 0; tap < g.taps; ++tap) {
          int64_t offset = 0;
          if (Locate(g, out, tap, &offset) != Place::kInside) continue;
          sum += std::pow(std::fabs(static_cast<double>(x[channel * g.in_size + offset])), p.p);
        }
        y[channel * g.out_size + out] = static_cast<T>(std::pow(sum, 1.0 / p.p));
      }
    });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kMaxPool[1] = {
    PlannedImpl<PoolParams, ParsePool, PlanPool, RunMaxPool>("max_pool.reference")};
constinit const KernelImpl kAveragePool[1] = {
    PlannedImpl<PoolParams, ParsePool, PlanPool, RunAveragePool>("average_pool.reference")};
constinit const KernelImpl kLpPool[1] = {
    PlannedImpl<PoolParams, ParsePool, PlanPool, RunLpPool>("lp_pool.reference")};

}  // namespace waybill::kernel::reference
