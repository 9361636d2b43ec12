// Optionals.
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferOptional(InferContext& ctx) {
  if (ctx.num_outputs() == 0) return Status::Ok();
  if (ctx.has_input(0)) {
    ctx.output(0) = ValueType::Optional(ctx.input_type(0));
  } else if (const auto* type = ctx.attrs().Get<ValueType>("type")) {
    ctx.output(0) = ValueType::Optional(*type);
  } else {
    return Error(Code::kInvalidArgument, "Optional has neither an input nor a type");
  }
  return Status::Ok();
}

Status InferOptionalGetElement(InferContext& ctx) {
  if (ctx.num_outputs() == 0 || !ctx.has_input(0)) return Status::Ok();
  const ValueType& in = ctx.input_type(0);
  if (in.kind == ValueKind::kUnknown) return Status::Ok();
  if (in.kind != ValueKind::kOptional) {
    ctx.output(0) = in;
    ForwardContents(ctx);
  } else if (in.element) {
    ctx.output(0) = *in.element;
  }
  return Status::Ok();
}

Status InferOptionalHasElement(InferContext& ctx) {
  ctx.SetTensor(0, DType::kBool, SymShape(Shape()));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
