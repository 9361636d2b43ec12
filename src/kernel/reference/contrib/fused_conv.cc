#include "kernel/reference/contrib/activation.h"
#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/nn/conv_core.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

struct FusedConvParams {
  graph::infer::WindowAttrs window;
  int64_t group = 1;
  FusedActivation activation;
};

Result<FusedConvParams> ParseFusedConv(const graph::NodeRef& node) {
  FusedConvParams p;
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  p.group = node.attrs().Int("group", 1);
  WB_ASSIGN_OR_RETURN(p.activation, ParseFusedActivation(node.attrs().String("activation"),
                                                         node.attrs().Floats("activation_params")));
  return p;
}

Status PlanFusedConv(const FusedConvParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  WB_ASSIGN_OR_RETURN(auto geometry,
                      MakeConvGeometry(ctx.input_shape(0), ctx.input_shape(1), p.window, p.group));
  WB_ASSIGN_OR_RETURN(const size_t bytes, ConvScratchBytes(*geometry, ctx.width()));
  ctx.BookScratch(bytes);
  ctx.SetState(std::move(geometry));
  return Status::Ok();
}

Status RunFusedConv(const FusedConvParams& p, RunContext& ctx) {
  const TensorView& y = ctx.output(0);
  const TensorView* const added = ctx.has_input(3) ? &ctx.input(3) : nullptr;
  if (added != nullptr && added->shape != y.shape) {
    return Error(Code::kInvalidArgument, "Z has shape {}, the output has {}", added->shape,
                 y.shape);
  }
  WB_RETURN_IF_ERROR(RunConv(ctx, *ctx.state<ConvGeometry>(), ctx.input(0), ctx.input(1),
                             ctx.has_input(2) ? &ctx.input(2) : nullptr, y, ctx.scratch(0)));
  for (int64_t i = 0; i < y.elems(); ++i) {
    double v = ReadFloat(y, i);
    if (added != nullptr) v += ReadFloat(*added, i);
    WriteFloat(y, i, p.activation(v));
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kMsFusedConv[1] = {
    PlannedImpl<FusedConvParams, ParseFusedConv, PlanFusedConv, RunFusedConv>(
        "ms_fused_conv.reference")};

}  // namespace waybill::kernel::reference
