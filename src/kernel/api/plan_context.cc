#include "kernel/api/plan_context.h"

#include "graph/infer/context.h"

namespace waybill::kernel {

PlanContext::PlanContext(const graph::NodeRef& node, std::span<const PlanInput> inputs,
                         size_t width)
    : node_(node), inputs_(inputs), width_(width) {
  record_.outputs.resize(node.num_outputs());
  for (size_t i = 0; i < record_.outputs.size(); ++i) {
    record_.outputs[i].dtype = node.output_dtype(i);
  }
}

void PlanContext::SetOutput(size_t i, DType dtype, Shape shape) {
  if (i >= record_.outputs.size()) return;
  record_.outputs[i].dtype = dtype;
  record_.outputs[i].shape = std::move(shape);
}

void PlanContext::SetMost(size_t i, DType dtype, Shape most) {
  if (i >= record_.outputs.size()) return;
  record_.outputs[i].dtype = dtype;
  record_.outputs[i].most = std::move(most);
}

Status PlanContext::InferOutputs() {
  const graph::infer::InferFn rule =
      graph::infer::FindInferRule(node_.node().domain, node_.node().op_type);
  if (rule == nullptr) {
    return Error(Code::kInternal, "{} has a kernel but no inference rule", node_.node().Describe());
  }
  std::vector<ValueType> types(inputs_.size());
  std::vector<graph::infer::InputFact> facts(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const PlanInput& input = inputs_[i];
    if (input.tensor != nullptr) {
      types[i] = ValueType::Tensor(input.tensor->dtype, SymShape(input.tensor->shape));
      if (input.known) facts[i].values = input.tensor;
    } else if (input.value != nullptr) {
      types[i] = input.value->type();
    } else {
      continue;
    }
    facts[i].type = &types[i];
  }
  std::vector<ValueType> outputs(node_.num_outputs());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!node_.has_output(i)) continue;
    outputs[i] = node_.output_type(i);
    outputs[i].shape = SymShape();
  }
  graph::infer::InferContext ctx(node_.node(), facts, std::move(outputs));
  WB_RETURN_IF_ERROR(rule(ctx));
  for (size_t i = 0; i < record_.outputs.size(); ++i) {
    PlanRecord::Output& out = record_.outputs[i];
    const ValueType& type = ctx.output(i);
    if (!node_.has_output(i) || !type.is_tensor()) continue;
    out.dtype = type.dtype;
    out.shape = type.shape.Concrete();
  }
  return Status::Ok();
}

}  // namespace waybill::kernel
