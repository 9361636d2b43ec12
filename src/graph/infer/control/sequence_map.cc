#include "graph/infer/driver.h"

namespace waybill::graph::infer {

// SequenceMap(sequence, others...) -> sequences; the body sees one item of the first, one item of
// each other that is a sequence, and the other itself where it is a tensor.
Status InferSequenceMap(Driver& driver, const Graph& graph, const Node& node,
                        std::vector<ValueType>& outputs) {
  Graph& body = *node.attrs.Subgraph("body");
  std::vector<ValueType> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    ValueType type = node.HasInput(i) ? graph.value(node.inputs[i]).type : ValueType();
    if (type.kind == ValueKind::kSequence) {
      type = type.element ? ValueType(*type.element) : ValueType();
    }
    inputs.push_back(std::move(type));
  }
  WB_RETURN_IF_ERROR(driver.RunBody(graph, body, inputs), "node {}", node.Describe());
  if (body.outputs.size() < outputs.size()) {
    return Error(Code::kInvalidGraph, "node {} has {} outputs, but its body '{}' has {}",
                 node.Describe(), outputs.size(), body.name, body.outputs.size());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = ValueType::Sequence(body.value(body.outputs[i]).type);
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
