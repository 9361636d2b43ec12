// Reshape, Flatten, Squeeze, Unsqueeze and Identity: views wherever a plan can make them so. Run
// copies, for the places where it cannot.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

Status RunCopy(RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  if (in.data != out.data) CopyElements(out, 0, in, 0, in.elems());
  return Status::Ok();
}

Status PlanIdentity(PlanContext& ctx) {
  if (ctx.has_input(0) && ctx.node().num_outputs() > 0) {
    return PlanViewOfFirst(ctx);
  }
  return ctx.InferOutputs();
}

Status RunIdentity(RunContext& ctx) {
  const Value& value = ctx.input_value(0);
  if (value.defined() && value.tensor() == nullptr) {
    ctx.SetOutputValue(0, value);
    return Status::Ok();
  }
  return RunCopy(ctx);
}

}  // namespace

const KernelImpl kReshape[1] = {FunctionImpl<RunCopy, PlanViewOfFirst>("reshape.reference")};
const KernelImpl kFlatten[1] = {FunctionImpl<RunCopy, PlanViewOfFirst>("flatten.reference")};
const KernelImpl kSqueeze[1] = {FunctionImpl<RunCopy, PlanViewOfFirst>("squeeze.reference")};
const KernelImpl kUnsqueeze[1] = {FunctionImpl<RunCopy, PlanViewOfFirst>("unsqueeze.reference")};
const KernelImpl kIdentity[1] = {FunctionImpl<RunIdentity, PlanIdentity>("identity.reference")};

}  // namespace waybill::kernel::reference
