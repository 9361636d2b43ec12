// Adagrad, Adam, Momentum: groups of tensors, each of the shape of the tensor it belongs to.
#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

// Inputs: rate, count, then `groups` groups of n tensors. Outputs: the first group and all from the
// third on.
Status InferGroups(InferContext& ctx, size_t groups) {
  if (ctx.num_inputs() < 2 + groups || (ctx.num_inputs() - 2) % groups != 0) {
    return Error(Code::kInvalidArgument, "{} tensors do not form {} groups", ctx.num_inputs() - 2,
                 groups);
  }
  const size_t count = (ctx.num_inputs() - 2) / groups;
  for (size_t i = 0; i < ctx.num_outputs() && i < (groups - 1) * count; ++i) {
    const size_t input = 2 + i % count;
    if (ctx.has_input(input)) ctx.SetTensor(i, ctx.input_dtype(input), ctx.input_shape(input));
  }
  return Status::Ok();
}

}  // namespace

Status InferAdagrad(InferContext& ctx) { return InferGroups(ctx, 3); }
Status InferAdam(InferContext& ctx) { return InferGroups(ctx, 4); }

}  // namespace waybill::graph::infer
