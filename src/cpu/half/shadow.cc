#include "cpu/half/shadow.h"

#include <utility>

namespace waybill::cpu {
namespace {

ValueType AsFloat(ValueType type) {
  if (type.is_tensor() && type.dtype == DType::kF16) type.dtype = DType::kF32;
  return type;
}

}  // namespace

Result<std::unique_ptr<ShadowNode>> ShadowNode::Make(const graph::NodeRef& node,
                                                     const MakeConstant& make) {
  auto out = std::make_unique<ShadowNode>();
  graph::Node copy = node.node();
  for (size_t i = 0; i < copy.inputs.size(); ++i) {
    if (!node.has_input(i)) continue;
    graph::Value value;
    value.type = AsFloat(node.input_type(i));
    if (const graph::Constant* constant = node.constant(i)) {
      value.constant = *constant;
      if (constant->dtype() == DType::kF16) {
        WB_ASSIGN_OR_RETURN(value.constant, make(*constant));
      }
    }
    copy.inputs[i] = out->graph_.AddValue(std::move(value));
  }
  for (size_t i = 0; i < copy.outputs.size(); ++i) {
    if (!node.has_output(i)) continue;
    graph::Value value;
    value.type = AsFloat(node.output_type(i));
    copy.outputs[i] = out->graph_.AddValue(std::move(value));
  }
  out->id_ = out->graph_.AddNode(std::move(copy));
  return out;
}

Status ShadowNode::WriteOut(size_t i, std::shared_ptr<MemorySource> source) {
  graph::Constant& held = graph_.value(graph_.node(id_).inputs[i]).constant;
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      held.Materialize(std::move(source), MemoryTag::kPackedWeights));
  held = graph::Constant(std::move(tensor));
  return Status::Ok();
}

void ShadowNode::DropConstant(size_t i) {
  const graph::ValueId id = graph_.node(id_).inputs[i];
  if (id != graph::kNoValue) graph_.value(id).constant = graph::Constant();
}

}  // namespace waybill::cpu
