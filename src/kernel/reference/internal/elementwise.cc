// The fused operator Elementwise: one expression over operands that broadcast.
#include <array>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/internal/expression_eval.h"
#include "kernel/reference/internal/kernels.h"

namespace waybill::kernel::reference {

namespace {

Result<graph::Expression> ParseElementwise(const graph::NodeRef& node) {
  return graph::Expression::Parse(node.attrs().String("expr"));
}

Status RunElementwise(const graph::Expression& expression, RunContext& ctx) {
  const size_t count = ctx.num_inputs();
  if (count > graph::kMaxExprInputs) {
    return Error(Code::kInvalidArgument, "{} operands are more than {}", count,
                 graph::kMaxExprInputs);
  }
  std::array<const TensorView*, graph::kMaxExprInputs> all;
  for (size_t i = 0; i < count; ++i) all[i] = &ctx.input(i);
  const auto operands = std::span(all).first(count);
  WB_RETURN_IF_ERROR(CheckOperands(expression, operands, ctx.output(0).shape));
  ApplyExpression(expression, operands, ctx.output(0));
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kElementwise[1] = {
    FunctionImpl<graph::Expression, ParseElementwise, RunElementwise>("elementwise.reference")};

}  // namespace waybill::kernel::reference
