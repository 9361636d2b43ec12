#include "kernel/api/function_kernel.h"

namespace waybill::kernel {

Status PlanElementwise(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape* shape = ctx.output_shape(0);
  if (shape != nullptr && ctx.has_input(0) && *shape == ctx.input_shape(0) &&
      ctx.record().outputs[0].dtype == ctx.input_dtype(0)) {
    ctx.AllowInPlace(0, 0);
  }
  return Status::Ok();
}

Status PlanViewOfFirst(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape* shape = ctx.output_shape(0);
  if (shape == nullptr) return Status::Ok();
  if (shape->elems() != ctx.input_shape(0).elems()) {
    return Error(Code::kInvalidArgument, "input shape {} cannot become {}", ctx.input_shape(0),
                 *shape);
  }
  ctx.MakeView(0, 0);
  return Status::Ok();
}

}  // namespace waybill::kernel
