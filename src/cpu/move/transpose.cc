#include "cpu/move/copy_plan.h"
#include "cpu/move/kernels.h"

namespace waybill::cpu {
namespace {

using kernel::PlanContext;

struct TransposeParams {
  bool reverse = true;
  Shape perm;
};

Result<TransposeParams> ParseTranspose(const graph::NodeRef& node) {
  if (!node.attrs().Has("perm")) return TransposeParams{};
  return TransposeParams{false, Shape(std::span<const int64_t>(node.attrs().Ints("perm")))};
}

Status PlanTranspose(const TransposeParams& params, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) == nullptr) return Status::Ok();
  const Shape& in = ctx.input_shape(0);
  const Shape& out = *ctx.output_shape(0);
  const size_t rank = in.rank();
  const Shape strides = RowStrides(in);
  CopyPlan::Box box{out, 0, RowStrides(out), 0, Shape::Filled(rank, 0)};
  bool in_order = true;  // axes of more than one element keep their order
  size_t last = 0;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t named = params.reverse ? static_cast<int64_t>(rank - 1 - i) : params.perm[i];
    const size_t axis = *NormalizeAxis(named, rank);  // the rule has refused others
    box.src_strides[i] = strides[axis];
    if (in[axis] == 1) continue;
    in_order &= axis >= last;
    last = axis;
  }
  if (in_order || in.elems() == 0) {
    ctx.MakeView(0, 0);
    return Status::Ok();
  }
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  plan->Add(0, 0, box);
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

}  // namespace

const kernel::KernelImpl kTransposeMove[1] = {
    CopyImpl<TransposeParams, ParseTranspose, PlanTranspose>("transpose.move")};

}  // namespace waybill::cpu
