// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear: shapes stay, types change.
#include "graph/infer/rules/quant/rules.h"

namespace waybill::graph::infer {

namespace {

// The type that `output_dtype` names; kUndefined for 0 or an absent attribute.
Result<DType> OutputDType(const InferContext& ctx) {
  const int64_t code = ctx.attrs().Int("output_dtype");
  if (code == 0) return DType::kUndefined;
  if (!IsKnownDType(code)) {
    return Error(Code::kInvalidArgument, "output_dtype is no element type: {}", code);
  }
  return static_cast<DType>(code);
}

}  // namespace

Status InferQuantizeLinear(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const DType asked, OutputDType(ctx));
  DType dtype = asked;
  if (ctx.has_input(2)) {
    dtype = ctx.input_dtype(2);
    if (asked != DType::kUndefined && asked != dtype) {
      return Error(Code::kInvalidArgument, "output_dtype is {}, the zero point's type {}",
                   DTypeName(asked), DTypeName(dtype));
    }
  } else if (dtype == DType::kUndefined) {
    dtype = DType::kU8;
  }
  ctx.SetTensor(0, dtype, ctx.input_shape(0));
  return Status::Ok();
}

Status InferDequantizeLinear(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(DType dtype, OutputDType(ctx));
  if (dtype == DType::kUndefined) dtype = ctx.input_dtype(1);
  if (dtype == DType::kF8E8M0) dtype = DType::kF32;  // no type for a result
  ctx.SetTensor(0, dtype, ctx.input_shape(0));
  return Status::Ok();
}

Status InferDynamicQuantizeLinear(InferContext& ctx) {
  ctx.SetTensor(0, DType::kU8, ctx.input_shape(0));
  ctx.SetTensor(1, DType::kF32, SymShape(Shape()));
  ctx.SetTensor(2, DType::kU8, SymShape(Shape()));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
