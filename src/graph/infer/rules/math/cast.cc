// Cast, CastLike: same shape, another element type.
#include "graph/infer/rules/math/contents.h"
#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

Status CastTo(InferContext& ctx, DType dtype) {
  ctx.SetTensor(0, dtype, ctx.input_shape(0));
  auto elements = ElementsOfInput(ctx, 0);
  if (!elements) return Status::Ok();
  if (dtype == DType::kBool) {
    for (Element& element : *elements) {
      element = element.number ? Element::Number(*element.number != 0 ? 1 : 0) : Element::Unknown();
    }
  }
  TellContents(ctx, *elements);
  return Status::Ok();
}

}  // namespace

Status InferCast(InferContext& ctx) {
  if (const auto* name = ctx.attrs().Get<std::string>("to")) {
    const auto dtype = DTypeFromName(*name);
    if (!dtype) return Error(Code::kInvalidArgument, "to names no element type: \"{}\"", *name);
    return CastTo(ctx, *dtype);
  }
  const int64_t to = ctx.attrs().Int("to");
  if (!IsKnownDType(to)) {
    return Error(Code::kInvalidArgument, "to is no element type: {}", to);
  }
  return CastTo(ctx, static_cast<DType>(to));
}

Status InferCastLike(InferContext& ctx) {
  if (!ctx.has_input(1)) return SameShapeAsFirst(ctx);
  return CastTo(ctx, ctx.input_dtype(1));
}

Status InferBitCast(InferContext& ctx) {
  const int64_t to = ctx.attrs().Int("to");
  if (!IsKnownDType(to)) {
    return Error(Code::kInvalidArgument, "to is no element type: {}", to);
  }
  const DType dtype = static_cast<DType>(to), from = ctx.input_dtype(0);
  const bool text = dtype == DType::kString || from == DType::kString;
  if (from != DType::kUndefined && (text || DTypeBits(from) != DTypeBits(dtype))) {
    return Error(Code::kInvalidArgument, "the bits of {} are no {}", DTypeName(from),
                 DTypeName(dtype));
  }
  ctx.SetTensor(0, dtype, ctx.input_shape(0));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
