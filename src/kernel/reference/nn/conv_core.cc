#include "kernel/reference/nn/conv_core.h"

#include <algorithm>
#include <memory>

#include "base/math/checked.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/gemm_core.h"
#include "kernel/reference/support/product.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::AxisFit;

// One row of the patch matrix: what tap `tap` sees of `channel` at `count` output positions from
// `first` on. Walks along the last axis and looks up the others once per run of it.
template <typename C, typename T>
void PackTap(const ConvGeometry& g, const T* channel, int64_t tap, int64_t first, int64_t count,
             C* row) {
  const AxisFit& last = g.axes.back();
  const int64_t tap_shift = tap % last.kernel * last.dilation - last.pad_begin;
  int64_t done = 0;
  while (done < count) {
    const int64_t index = first + done;
    const int64_t begin = index % last.out;
    const int64_t run = std::min(count - done, last.out - begin);
    int64_t outer = index / last.out, outer_tap = tap / last.kernel;
    int64_t stride = last.in, base = 0;
    bool inside = true;
    for (size_t i = g.axes.size() - 1; i-- > 0;) {
      const AxisFit& axis = g.axes[i];
      const int64_t pos =
          outer % axis.out * axis.stride - axis.pad_begin + outer_tap % axis.kernel * axis.dilation;
      inside = inside && pos >= 0 && pos < axis.in;
      base += pos * stride;
      stride *= axis.in;
      outer /= axis.out;
      outer_tap /= axis.kernel;
    }
    for (int64_t j = 0; j < run; ++j) {
      const int64_t pos = (begin + j) * last.stride + tap_shift;
      row[done + j] =
          inside && pos >= 0 && pos < last.in ? static_cast<C>(channel[base + pos]) : C{0};
    }
    done += run;
  }
}

template <typename C, typename T>
void Convolve(RunContext& ctx, const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y,
              void* scratch) {
  const int64_t panels = CeilDiv(g.out_size, static_cast<int64_t>(kPanel));
  const int64_t group_in = g.in_channels / g.group, group_out = g.out_channels / g.group;
  const int64_t depth = g.depth();
  const auto pieces = static_cast<size_t>(g.batch * g.group * panels);
  ForEachPiece(ctx, pieces, [&](size_t piece, size_t worker) {
    const int64_t first = static_cast<int64_t>(piece) % panels * static_cast<int64_t>(kPanel);
    const int64_t group_index = static_cast<int64_t>(piece) / panels;  // over batch and group
    const int64_t group = group_index % g.group;
    const int64_t count = std::min(static_cast<int64_t>(kPanel), g.out_size - first);
    const T* const x_group = x + group_index * group_in * g.in_size;
    C* const panel = static_cast<C*>(scratch) + worker * static_cast<size_t>(depth) * kPanel;
    for (int64_t k = 0; k < depth; ++k) {
      C* const row = panel + k * static_cast<int64_t>(kPanel);
      PackTap(g, x_group + k / g.taps * g.in_size, k % g.taps, first, count, row);
      std::fill(row + count, row + kPanel, C{0});
    }
    for (int64_t m = 0; m < group_out; ++m) {
      const int64_t filter = group * group_out + m;
      double total[kPanel];
      RowTimesPanel<C>(w + filter * depth, 1, panel, static_cast<size_t>(depth), total);
      const double b = bias == nullptr ? 0.0 : static_cast<double>(bias[filter]);
      T* const out = y + (group_index * group_out + m) * g.out_size + first;
      for (int64_t j = 0; j < count; ++j) out[j] = static_cast<T>(total[j] + b);
    }
  });
}

}  // namespace

Result<std::shared_ptr<const ConvGeometry>> MakeConvGeometry(
    const Shape& x, const Shape& w, const graph::infer::WindowAttrs& window, int64_t group) {
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return Error(Code::kInvalidArgument, "input of shape {} and weights of shape {} do not fit", x,
                 w);
  }
  auto g = std::make_shared<ConvGeometry>();
  g->batch = x[0];
  g->in_channels = x[1];
  g->out_channels = w[0];
  g->group = group;
  if (group < 1 || x[1] != w[1] * group || w[0] % group != 0) {
    return Error(Code::kInvalidArgument,
                 "input of shape {} and weights of shape {} do not fit with group {}", x, w, group);
  }
  WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(window, w.dims().subspan(2)));
  g->in_size = x.ElemsBetween(2, x.rank());
  g->taps = w.ElemsBetween(2, w.rank());
  g->out_size = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const AxisFit fit,
                        graph::infer::FitWindow(axes[i], window.auto_pad, x[2 + i]));
    const auto out_size = CheckedMul(g->out_size, fit.out);
    if (!out_size) return Error(Code::kInvalidArgument, "the output of {} is too large", x);
    g->out_size = *out_size;
    g->axes.push_back(fit);
  }
  return std::shared_ptr<const ConvGeometry>(std::move(g));
}

Result<size_t> ConvScratchBytes(const ConvGeometry& g, size_t width) {
  return ProductScratchBytes(g.depth(), width);
}

Status RunConv(RunContext& ctx, const ConvGeometry& g, const TensorView& x, const TensorView& w,
               const TensorView* bias, const TensorView& y, std::byte* scratch) {
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
        Convolve<float>(ctx, g, x.as<T>(), w.as<T>(), b, y.as<T>(), scratch);
        return Status::Ok();
      }
    }
    Convolve<double>(ctx, g, x.as<T>(), w.as<T>(), b, y.as<T>(), scratch);
    return Status::Ok();
  });
}

}  // namespace waybill::kernel::reference
