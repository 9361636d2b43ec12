#include <cmath>
#include <memory>

#include "kernel/reference/nn/conv_core.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::AxisFit;

struct DeformParams {
  graph::infer::WindowAttrs window;
  int64_t group = 1, offset_group = 1;
};

Result<DeformParams> ParseDeform(const graph::NodeRef& node) {
  DeformParams p;
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  p.group = node.attrs().Int("group", 1);
  p.offset_group = node.attrs().Int("offset_group", 1);
  return p;
}

Status PlanDeform(const DeformParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape &x = ctx.input_shape(0), &w = ctx.input_shape(1), &offset = ctx.input_shape(2);
  if (x.rank() != 4) {
    return Error(Code::kNotImplemented, "deformable convolution over {} spatial axes",
                 x.rank() - 2);
  }
  WB_ASSIGN_OR_RETURN(auto g, MakeConvGeometry(x, w, p.window, p.group));
  const int64_t out_h = g->axes[0].out, out_w = g->axes[1].out;
  if (p.offset_group < 1 || x[1] % p.offset_group != 0) {
    return Error(Code::kInvalidArgument, "offset_group {} does not divide {} channels",
                 p.offset_group, x[1]);
  }
  const int64_t points = p.offset_group * g->taps;
  if (offset != Shape{x[0], 2 * points, out_h, out_w}) {
    return Error(Code::kInvalidArgument, "offset has shape {}, expected {}", offset,
                 Shape{x[0], 2 * points, out_h, out_w});
  }
  if (ctx.has_input(4) && ctx.input_shape(4) != Shape{x[0], points, out_h, out_w}) {
    return Error(Code::kInvalidArgument, "mask has shape {}, expected {}", ctx.input_shape(4),
                 Shape{x[0], points, out_h, out_w});
  }
  if (ctx.has_input(3) && ctx.input_shape(3) != Shape{w[0]}) {
    return Error(Code::kInvalidArgument, "bias has shape {}, expected [{}]", ctx.input_shape(3),
                 w[0]);
  }
  ctx.SetState(std::move(g));
  return Status::Ok();
}

// Bilinear value at (y, x) of an image that is zero outside.
double Sample(const TensorView& image, int64_t base, int64_t height, int64_t width, double y,
              double x) {
  if (!(y > -1 && y < static_cast<double>(height) && x > -1 && x < static_cast<double>(width))) {
    return 0;
  }
  const auto y0 = static_cast<int64_t>(std::floor(y)), x0 = static_cast<int64_t>(std::floor(x));
  const double fy = y - static_cast<double>(y0), fx = x - static_cast<double>(x0);
  double sum = 0;
  for (int64_t dy = 0; dy < 2; ++dy) {
    for (int64_t dx = 0; dx < 2; ++dx) {
      const int64_t py = y0 + dy, px = x0 + dx;
      if (py < 0 || py >= height || px < 0 || px >= width) continue;
      sum += (dy != 0 ? fy : 1 - fy) * (dx != 0 ? fx : 1 - fx) *
             ReadFloat(image, base + py * width + px);
    }
  }
  return sum;
}

Status RunDeform(const DeformParams& p, RunContext& ctx) {
  const ConvGeometry& g = *ctx.state<ConvGeometry>();
  const TensorView &x = ctx.input(0), &w = ctx.input(1), &offset = ctx.input(2);
  const TensorView* const bias = ctx.has_input(3) ? &ctx.input(3) : nullptr;
  const TensorView* const mask = ctx.has_input(4) ? &ctx.input(4) : nullptr;
  const AxisFit &ay = g.axes[0], &ax = g.axes[1];
  const int64_t group_in = g.in_channels / g.group, group_out = g.out_channels / g.group;
  const int64_t per_offset = g.in_channels / p.offset_group;
  ForEachPiece(ctx, static_cast<size_t>(g.batch * g.out_channels), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);
    const int64_t n = index / g.out_channels, m = index % g.out_channels;
    for (int64_t o = 0; o < g.out_size; ++o) {
      double sum = bias == nullptr ? 0.0 : ReadFloat(*bias, m);
      for (int64_t k = 0; k < group_in * g.taps; ++k) {
        const int64_t channel = m / group_out * group_in + k / g.taps, tap = k % g.taps;
        const int64_t point = (n * p.offset_group + channel / per_offset) * g.taps + tap;
        const double y = static_cast<double>(o / ax.out * ay.stride - ay.pad_begin +
                                             tap / ax.kernel * ay.dilation) +
                         ReadFloat(offset, 2 * point * g.out_size + o);
        const double xx = static_cast<double>(o % ax.out * ax.stride - ax.pad_begin +
                                              tap % ax.kernel * ax.dilation) +
                          ReadFloat(offset, (2 * point + 1) * g.out_size + o);
        double v = Sample(x, (n * g.in_channels + channel) * g.in_size, ay.in, ax.in, y, xx);
        if (mask != nullptr) v *= ReadFloat(*mask, point * g.out_size + o);
        sum += v * ReadFloat(w, m * group_in * g.taps + k);
      }
      WriteFloat(ctx.output(0), index * g.out_size + o, sum);
    }
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kDeformConv[1] = {
    PlannedImpl<DeformParams, ParseDeform, PlanDeform, RunDeform>("deform_conv.reference")};

}  // namespace waybill::kernel::reference
