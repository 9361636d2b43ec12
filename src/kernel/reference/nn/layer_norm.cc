#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/nn/row_norm.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct LayerNormParams {
  int64_t axis;
  double epsilon;
};

Result<LayerNormParams> ParseLayerNorm(const graph::NodeRef& node) {
  return LayerNormParams{node.attrs().Int("axis", -1),
                         static_cast<double>(node.attrs().Float("epsilon", 1e-5f))};
}

// `mean_output` and `deviation_output`: which outputs take the statistics.
Status Normalize(const LayerNormParams& p, RunContext& ctx, bool centered, size_t mean_output,
                 size_t deviation_output) {
  const Shape& shape = ctx.input(0).shape;
  const auto axis = NormalizeAxis(p.axis, shape.rank());
  if (!axis) return Error(Code::kInvalidArgument, "axis {} of shape {}", p.axis, shape);
  const int64_t rows = shape.ElemsBetween(0, *axis);
  const int64_t size = shape.ElemsBetween(*axis, shape.rank());
  const TensorView& scale = ctx.input(1);
  const TensorView* const bias = centered && ctx.has_input(2) ? &ctx.input(2) : nullptr;
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(rows), [&](size_t piece, size_t) {
      const auto row = static_cast<int64_t>(piece);
      const T* const in = x + row * size;
      const RowStatistics stats = RowStats(size, centered, p.epsilon,
                                           [&](int64_t i) { return static_cast<double>(in[i]); });
      if (mean_output != 0 && ctx.wants_output(mean_output)) {
        WriteFloat(ctx.output(mean_output), row, stats.mean);
      }
      if (ctx.wants_output(deviation_output)) {
        WriteFloat(ctx.output(deviation_output), row, stats.inverse_deviation);
      }
      if (!ctx.wants_output(0)) return;
      for (int64_t i = 0; i < size; ++i) {
        const int64_t at = row * size + i;
        double v = (static_cast<double>(in[i]) - stats.mean) * stats.inverse_deviation *
                   ReadFloat(scale, BroadcastOffset(scale.shape, shape, at));
        if (bias != nullptr) v += ReadFloat(*bias, BroadcastOffset(bias->shape, shape, at));
        WriteFloat(ctx.output(0), at, v);
      }
    });
    return Status::Ok();
  });
}

Status RunLayerNorm(const LayerNormParams& p, RunContext& ctx) {
  return Normalize(p, ctx, true, 1, 2);
}

Status RunRmsNorm(const LayerNormParams& p, RunContext& ctx) {
  return Normalize(p, ctx, false, 0, 1);
}

}  // namespace

constinit const KernelImpl kLayerNormalization[1] = {
    FunctionImpl<LayerNormParams, ParseLayerNorm, RunLayerNorm>("layer_normalization.reference")};
constinit const KernelImpl kRmsNormalization[1] = {
    FunctionImpl<LayerNormParams, ParseLayerNorm, RunRmsNorm>("rms_normalization.reference")};

}  // namespace waybill::kernel::reference
