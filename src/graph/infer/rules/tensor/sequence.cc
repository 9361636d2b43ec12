// Sequences and what makes tensors of them.
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

// The shape that tensors of both shapes have: dims that differ become unknown.
SymShape Common(const SymShape& a, const SymShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return SymShape();
  SymShape out = a;
  for (size_t i = 0; i < out.rank(); ++i) {
    if (!a[i].SameAs(b[i])) out[i] = Dim();
  }
  return out;
}

void SetOutput(InferContext& ctx, ValueType type) {
  if (ctx.num_outputs() > 0) ctx.output(0) = std::move(type);
}

// The element of input 0; null when it is no sequence.
const ValueType* ElementOf(const InferContext& ctx) {
  if (!ctx.has_input(0)) return nullptr;
  const ValueType& type = ctx.input_type(0);
  return type.kind == ValueKind::kSequence ? type.element.get() : nullptr;
}

}  // namespace

Status InferSequenceEmpty(InferContext& ctx) {
  const int64_t code = ctx.attrs().Int("dtype", static_cast<int64_t>(DType::kF32));
  if (!IsKnownDType(code)) {
    return Error(Code::kInvalidArgument, "dtype {} is no element type", code);
  }
  SetOutput(ctx, ValueType::Sequence(ValueType::Tensor(static_cast<DType>(code))));
  return Status::Ok();
}

Status InferSequenceConstruct(InferContext& ctx) {
  if (!ctx.has_input(0)) return Status::Ok();
  ValueType element = ctx.input_type(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.input_dtype(i) != element.dtype && ctx.input_dtype(i) != DType::kUndefined) {
      return Error(Code::kInvalidArgument, "items {} and 0 differ in type: {} and {}", i,
                   ctx.input_type(i), element);
    }
    element.shape = Common(element.shape, ctx.input_shape(i));
  }
  SetOutput(ctx, ValueType::Sequence(std::move(element)));
  return Status::Ok();
}

Status InferSequenceAt(InferContext& ctx) {
  if (const ValueType* element = ElementOf(ctx)) SetOutput(ctx, *element);
  return Status::Ok();
}

Status InferSequenceInsert(InferContext& ctx) {
  const ValueType* element = ElementOf(ctx);
  if (element == nullptr) return Status::Ok();
  ValueType merged = *element;
  if (ctx.has_input(1)) {
    if (ctx.input_dtype(1) != merged.dtype && ctx.input_dtype(1) != DType::kUndefined &&
        merged.dtype != DType::kUndefined) {
      return Error(Code::kInvalidArgument, "a sequence of {} takes no {}", merged,
                   ctx.input_type(1));
    }
    merged.shape = Common(merged.shape, ctx.input_shape(1));
  }
  SetOutput(ctx, ValueType::Sequence(std::move(merged)));
  return Status::Ok();
}

Status InferSequenceErase(InferContext& ctx) {
  if (ElementOf(ctx) != nullptr) SetOutput(ctx, ctx.input_type(0));
  return Status::Ok();
}

Status InferSequenceLength(InferContext& ctx) {
  ctx.SetTensor(0, DType::kI64, SymShape(Shape()));
  return Status::Ok();
}

Status InferSplitToSequence(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (ctx.input_dtype(0) == DType::kUndefined) return Status::Ok();
  SymShape item;
  if (in.has_rank()) {
    WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", 0), in.rank()));
    std::vector<Dim> dims = in.dims();
    if (ctx.has_input(1)) {
      const auto number = NumberOf(ctx, 1);
      const SymShape& split = ctx.input_shape(1);
      const bool scalar = split.has_rank() && split.rank() == 0;
      const bool even = scalar && number && *number > 0 && dims[axis].known() &&
                        dims[axis].value() % *number == 0;
      dims[axis] = even ? Dim(*number) : Dim();
    } else if (ctx.attrs().Int("keepdims", 1) != 0) {
      dims[axis] = Dim(1);
    } else {
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    item = SymShape(std::move(dims));
  }
  SetOutput(ctx, ValueType::Sequence(ValueType::Tensor(ctx.input_dtype(0), std::move(item))));
  return Status::Ok();
}

Status InferConcatFromSequence(InferContext& ctx) {
  const ValueType* element = ElementOf(ctx);
  if (element == nullptr) return Status::Ok();
  const bool stack = ctx.attrs().Int("new_axis", 0) != 0;
  SymShape out;
  if (element->shape.has_rank()) {
    std::vector<Dim> dims = element->shape.dims();
    WB_ASSIGN_OR_RETURN(const size_t axis,
                        Axis(ctx.attrs().Int("axis"), dims.size() + (stack ? 1 : 0)));
    if (stack) {
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), Dim());
    } else {
      dims[axis] = Dim();
    }
    out = SymShape(std::move(dims));
  }
  ctx.SetTensor(0, element->dtype, std::move(out));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
