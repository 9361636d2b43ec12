#include <algorithm>
#include <memory>

#include "base/math/checked.h"
#include "kernel/reference/nn/conv_core.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"
#include "kernel/reference/support/product.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::AxisFit;

struct TransposeParams {
  graph::infer::WindowAttrs window;
  std::vector<int64_t> output_shape, output_padding;
  int64_t group = 1;
};

Result<TransposeParams> ParseConvTranspose(const graph::NodeRef& node) {
  TransposeParams p;
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  p.output_shape = node.attrs().Ints("output_shape");
  p.output_padding = node.attrs().Ints("output_padding");
  p.group = node.attrs().Int("group", 1);
  return p;
}

Status PlanConvTranspose(const TransposeParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape &x = ctx.input_shape(0), &w = ctx.input_shape(1);
  const size_t spatial = x.rank() - 2;
  WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(p.window, w.dims().subspan(2)));
  auto g = std::make_shared<ConvGeometry>();
  g->batch = x[0];
  g->in_channels = x[1];
  g->out_channels = w[1] * p.group;
  g->group = p.group;
  g->in_size = x.ElemsBetween(2, x.rank());
  g->taps = w.ElemsBetween(2, w.rank());
  g->out_size = 1;
  for (size_t i = 0; i < spatial; ++i) {
    // Some writers put N and C in front of the sizes.
    const int64_t size =
        p.output_shape.empty() ? -1 : p.output_shape[p.output_shape.size() - spatial + i];
    WB_ASSIGN_OR_RETURN(const AxisFit fit,
                        graph::infer::FitTransposed(
                            axes[i], p.window.auto_pad,
                            p.output_padding.empty() ? 0 : p.output_padding[i], size, x[2 + i]));
    const auto out_size = CheckedMul(g->out_size, fit.out);
    if (!out_size) return Error(Code::kInvalidArgument, "the output of {} is too large", x);
    g->out_size = *out_size;
    g->axes.push_back(fit);
  }
  WB_ASSIGN_OR_RETURN(const size_t bytes, ConvScratchBytes(*g, ctx.width()));
  ctx.BookScratch(bytes);
  ctx.SetState(std::move(g));
  return Status::Ok();
}

// The input element that reaches output `index` through `tap`; -1 when there is none.
int64_t SourceOf(const ConvGeometry& g, int64_t index, int64_t tap) {
  int64_t stride = 1, offset = 0;
  for (size_t i = g.axes.size(); i-- > 0;) {
    const AxisFit& axis = g.axes[i];
    const int64_t strided = index % axis.out + axis.pad_begin - tap % axis.kernel * axis.dilation;
    const int64_t pos = strided / axis.stride;
    if (strided < 0 || strided % axis.stride != 0 || pos >= axis.in) return -1;
    offset += pos * stride;
    stride *= axis.in;
    index /= axis.out;
    tap /= axis.kernel;
  }
  return offset;
}

// Rows of a panel are (tap, channel): for one tap, all channels of the group look at one place.
template <typename C, typename T>
void PackSources(const ConvGeometry& g, const T* x, int64_t channels, int64_t first, int64_t count,
                 C* panel) {
  for (int64_t tap = 0; tap < g.taps; ++tap) {
    C* const rows = panel + tap * channels * static_cast<int64_t>(kPanel);
    for (int64_t j = 0; j < static_cast<int64_t>(kPanel); ++j) {
      const int64_t source = j < count ? SourceOf(g, first + j, tap) : -1;
      for (int64_t c = 0; c < channels; ++c) {
        rows[c * static_cast<int64_t>(kPanel) + j] =
            source < 0 ? C{0} : static_cast<C>(x[c * g.in_size + source]);
      }
    }
  }
}

template <typename C, typename T>
void Transposed(RunContext& ctx, const ConvGeometry& g, const T* x, const T* w, const T* bias,
                T* y) {
  constexpr auto kWide = static_cast<int64_t>(kPanel);
  const int64_t panels = CeilDiv(g.out_size, kWide);
  const int64_t group_in = g.in_channels / g.group, group_out = g.out_channels / g.group;
  C* const scratch = ctx.scratch<C>(0);
  const auto pieces = static_cast<size_t>(g.batch * g.group * panels);
  ForEachPiece(ctx, pieces, [&](size_t piece, size_t worker) {
    const int64_t first = static_cast<int64_t>(piece) % panels * kWide;
    const int64_t group_index = static_cast<int64_t>(piece) / panels;
    const int64_t group = group_index % g.group;
    const int64_t count = std::min(kWide, g.out_size - first);
    C* const panel = scratch + static_cast<int64_t>(worker) * g.depth() * kWide;
    PackSources(g, x + group_index * group_in * g.in_size, group_in, first, count, panel);
    for (int64_t m = 0; m < group_out; ++m) {
      const int64_t channel = group * group_out + m;
      double total[kPanel];
      const double start = bias == nullptr ? 0.0 : static_cast<double>(bias[channel]);
      std::fill(total, total + kPanel, start);
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        double part[kPanel];
        RowTimesPanel<C>(w + (group * group_in * group_out + m) * g.taps + tap, group_out * g.taps,
                         panel + tap * group_in * kWide, static_cast<size_t>(group_in), part);
        for (size_t j = 0; j < kPanel; ++j) total[j] += part[j];
      }
      T* const out = y + (group_index * group_out + m) * g.out_size + first;
      for (int64_t j = 0; j < count; ++j) out[j] = static_cast<T>(total[j]);
    }
  });
}

Status RunConvTranspose(const TransposeParams&, RunContext& ctx) {
  const ConvGeometry& g = *ctx.state<ConvGeometry>();
  const TensorView &x = ctx.input(0), &w = ctx.input(1), &y = ctx.output(0);
  const TensorView* bias = ctx.has_input(2) ? &ctx.input(2) : nullptr;
  if (bias != nullptr && (bias->shape.rank() != 1 || bias->shape[0] != g.out_channels)) {
    return Error(Code::kInvalidArgument, "bias has shape {}, the output has {} channels",
                 bias->shape, g.out_channels);
  }
  if (y.elems() == 0) return Status::Ok();
  return DispatchDType(x.dtype, FloatTypes{}, [&]<typename T>() {
    const T* const b = bias == nullptr ? nullptr : bias->as<T>();
    if constexpr (std::is_same_v<T, float>) {
      const double products = static_cast<double>(y.elems()) * static_cast<double>(g.depth());
      if (products > kManyProducts) {
        Transposed<float>(ctx, g, x.as<T>(), w.as<T>(), b, y.as<T>());
        return Status::Ok();
      }
    }
    Transposed<double>(ctx, g, x.as<T>(), w.as<T>(), b, y.as<T>());
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kConvTranspose[1] = {
    PlannedImpl<TransposeParams, ParseConvTranspose, PlanConvTranspose, RunConvTranspose>(
        "conv_transpose.reference")};

}  // namespace waybill::kernel::reference
