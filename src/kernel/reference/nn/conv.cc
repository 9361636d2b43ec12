#include "kernel/reference/nn/conv_core.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

struct ConvParams {
  graph::infer::WindowAttrs window;
  int64_t group = 1;
};

Result<ConvParams> ParseConv(const graph::NodeRef& node) {
  ConvParams params;
  WB_ASSIGN_OR_RETURN(params.window, graph::infer::ParseWindow(node.attrs()));
  params.group = node.attrs().Int("group", 1);
  return params;
}

Status PlanConv(const ConvParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  WB_ASSIGN_OR_RETURN(auto geometry,
                      MakeConvGeometry(ctx.input_shape(0), ctx.input_shape(1), p.window, p.group));
  WB_ASSIGN_OR_RETURN(const size_t bytes, ConvScratchBytes(*geometry, ctx.width()));
  ctx.BookScratch(bytes);
  ctx.SetState(std::move(geometry));
  return Status::Ok();
}

Status RunConvNode(const ConvParams&, RunContext& ctx) {
  return RunConv(ctx, *ctx.state<ConvGeometry>(), ctx.input(0), ctx.input(1),
                 ctx.has_input(2) ? &ctx.input(2) : nullptr, ctx.output(0), ctx.scratch(0));
}

}  // namespace

constinit const KernelImpl kConv[1] = {
    PlannedImpl<ConvParams, ParseConv, PlanConv, RunConvNode>("conv.reference")};

}  // namespace waybill::kernel::reference
