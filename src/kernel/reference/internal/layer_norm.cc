// Layer normalization over one axis, whichever it is.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/internal/kernels.h"
#include "kernel/reference/nn/row_norm.h"
#include "kernel/reference/support/axis_split.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

struct LayerNormParams {
  int64_t axis;
  double epsilon;
};

Result<LayerNormParams> Parse(const graph::NodeRef& node) {
  return LayerNormParams{node.attrs().Int("axis"),
                         static_cast<double>(node.attrs().Float("epsilon"))};
}

Status Run(const LayerNormParams& p, RunContext& ctx) {
  const Shape& shape = ctx.input(0).shape;
  const AxisSplit split = AxisSplit::At(shape, *NormalizeAxis(p.axis, shape.rank()));
  const auto* x = ctx.input(0).as<const float>();
  const auto* scale = ctx.input(1).as<const float>();
  const auto* bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
  auto* y = ctx.output(0).as<float>();
  ForEachPiece(ctx, static_cast<size_t>(split.lines()), [&](size_t line, size_t) {
    const int64_t start = split.LineStart(static_cast<int64_t>(line));
    const RowStatistics stats = RowStats(split.axis, true, p.epsilon, [&](int64_t i) {
      return static_cast<double>(x[start + i * split.inner]);
    });
    for (int64_t i = 0; i < split.axis; ++i) {
      const int64_t at = start + i * split.inner;
      double v = (static_cast<double>(x[at]) - stats.mean) * stats.inverse_deviation *
                 static_cast<double>(scale[i]);
      if (bias != nullptr) v += static_cast<double>(bias[i]);
      y[at] = static_cast<float>(v);
    }
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kInternalLayerNorm[1] = {
    FunctionImpl<LayerNormParams, Parse, Run>("internal_layer_norm.reference")};

}  // namespace waybill::kernel::reference
