// Expand and Tile. Both read repeated axes with a stride of 0, so the output's shape says it all.
#include "cpu/move/copy_plan.h"
#include "cpu/move/kernels.h"

namespace waybill::cpu {
namespace {

using kernel::PlanContext;

struct NoParams {};

Result<NoParams> ParseNothing(const graph::NodeRef&) { return NoParams{}; }

Status PlanExpand(const NoParams&, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) == nullptr) return Status::Ok();
  const Shape& in = ctx.input_shape(0);
  const Shape& out = *ctx.output_shape(0);
  if (in.elems() == out.elems()) {
    ctx.MakeView(0, 0);
    return Status::Ok();
  }
  const Shape strides = RowStrides(in);
  const size_t added = out.rank() - in.rank();
  CopyPlan::Box box{out, 0, RowStrides(out), 0, Shape::Filled(out.rank(), 0)};
  for (size_t i = 0; i < in.rank(); ++i) {
    if (in[i] != 1) box.src_strides[added + i] = strides[i];
  }
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  plan->Add(0, 0, box);
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

// Axis i of the output is repeats x dim.
Status PlanTile(const NoParams&, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) == nullptr) return Status::Ok();
  const Shape& in = ctx.input_shape(0);
  const Shape& out = *ctx.output_shape(0);
  if (in.elems() == out.elems()) {
    ctx.MakeView(0, 0);
    return Status::Ok();
  }
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  if (out.elems() != 0) {
    const Shape in_strides = RowStrides(in), out_strides = RowStrides(out);
    CopyPlan::Box box;
    for (size_t i = 0; i < in.rank(); ++i) {
      box.dims.PushBack(out[i] / in[i]);
      box.dst_strides.PushBack(in[i] * out_strides[i]);
      box.src_strides.PushBack(0);
      box.dims.PushBack(in[i]);
      box.dst_strides.PushBack(out_strides[i]);
      box.src_strides.PushBack(in_strides[i]);
    }
    plan->Add(0, 0, box);
  }
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

}  // namespace

const kernel::KernelImpl kExpandMove[1] = {
    CopyImpl<NoParams, ParseNothing, PlanExpand>("expand.move")};
const kernel::KernelImpl kTileMove[1] = {CopyImpl<NoParams, ParseNothing, PlanTile>("tile.move")};

}  // namespace waybill::cpu
