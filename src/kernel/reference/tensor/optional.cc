// Optionals.
#include <memory>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

Status PlanByRun(PlanContext&) { return Status::Ok(); }

struct OptionalParams {
  ValueType element;  // unknown: that of the input
};

Result<OptionalParams> ParseOptional(const graph::NodeRef& node) {
  const auto* type = node.attrs().Get<ValueType>("type");
  return OptionalParams{type != nullptr ? *type : ValueType()};
}

Status RunOptional(const OptionalParams& params, RunContext& ctx) {
  OptionalValue out{params.element, nullptr};
  if (ctx.has_input(0)) {
    WB_ASSIGN_OR_RETURN(Value value, ctx.ShareInput(0));
    out.element = value.type();
    out.value = std::make_shared<const Value>(std::move(value));
  }
  ctx.SetOutputValue(0, std::move(out));
  return Status::Ok();
}

// A tensor is its own element; the element of an optional is known only while running.
Status PlanGetElement(PlanContext& ctx) {
  if (ctx.has_input(0) && ctx.node().input_type(0).kind == ValueKind::kTensor) {
    return PlanViewOfFirst(ctx);
  }
  return Status::Ok();
}

Status RunGetElement(RunContext& ctx) {
  const Value& value = ctx.input_value(0);
  if (const OptionalValue* optional = value.optional()) {
    if (!optional->value) {
      return Error(Code::kInvalidArgument, "the optional has no element");
    }
    ctx.SetOutputValue(0, *optional->value);
    return Status::Ok();
  }
  if (value.defined() && value.tensor() == nullptr) {
    ctx.SetOutputValue(0, value);
    return Status::Ok();
  }
  const TensorView& in = ctx.input(0);
  if (in.dtype == DType::kUndefined) {
    return Error(Code::kInvalidArgument, "the optional has no element");
  }
  const TensorView& out = ctx.output(0);
  if (out.data != nullptr && out.shape == in.shape && out.dtype == in.dtype) {
    if (in.data != out.data) CopyElements(out, 0, in, 0, in.elems());
    return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(Value shared, ctx.ShareInput(0));
  ctx.SetOutputValue(0, std::move(shared));
  return Status::Ok();
}

Status RunHasElement(RunContext& ctx) {
  bool has = false;
  if (ctx.has_input(0)) {
    const Value& value = ctx.input_value(0);
    const OptionalValue* optional = value.optional();
    has = optional != nullptr ? optional->value != nullptr
                              : value.defined() || ctx.input(0).dtype != DType::kUndefined;
  }
  *ctx.output(0).as<uint8_t>() = has ? 1 : 0;
  return Status::Ok();
}

}  // namespace

const KernelImpl kOptional[1] = {
    FunctionImpl<OptionalParams, ParseOptional, RunOptional, PlanByRun>("optional.reference")};
const KernelImpl kOptionalGetElement[1] = {
    FunctionImpl<RunGetElement, PlanGetElement>("optional_get_element.reference")};
const KernelImpl kOptionalHasElement[1] = {
    FunctionImpl<RunHasElement>("optional_has_element.reference")};

}  // namespace waybill::kernel::reference
