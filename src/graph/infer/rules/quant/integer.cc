// Integer matrix products and convolutions: the shapes of MatMul and Conv.
#include <array>

#include "graph/infer/rules/nn/rules.h"
#include "graph/infer/rules/quant/rules.h"

namespace waybill::graph::infer {

namespace {

Status MatMulOf(InferContext& ctx, size_t a, size_t b, DType dtype) {
  WB_ASSIGN_OR_RETURN(SymShape shape, MatMulShape(ctx.input_shape(a), ctx.input_shape(b)));
  ctx.SetTensor(0, dtype, std::move(shape));
  return Status::Ok();
}

// Asks the rule of Conv about inputs `x` and `w` of this node.
Status ConvOf(InferContext& ctx, size_t x, size_t w, DType dtype) {
  if (!ctx.has_input(x) || !ctx.has_input(w)) return Status::Ok();
  const std::array<InputFact, 2> facts = {InputFact{&ctx.input_type(x)},
                                          InputFact{&ctx.input_type(w)}};
  InferContext conv(ctx.node(), facts, {ctx.output(0)});
  WB_RETURN_IF_ERROR(InferConv(conv));
  ctx.SetTensor(0, dtype, conv.output(0).shape);
  return Status::Ok();
}

}  // namespace

Status InferMatMulInteger(InferContext& ctx) { return MatMulOf(ctx, 0, 1, DType::kI32); }
Status InferQLinearMatMul(InferContext& ctx) { return MatMulOf(ctx, 0, 3, ctx.input_dtype(7)); }
Status InferConvInteger(InferContext& ctx) { return ConvOf(ctx, 0, 1, DType::kI32); }
Status InferQLinearConv(InferContext& ctx) { return ConvOf(ctx, 0, 3, ctx.input_dtype(7)); }

}  // namespace waybill::graph::infer
