#include "graph/infer/driver.h"
#include "graph/infer/types.h"

namespace waybill::graph::infer {

namespace {

// The branch that a constant condition selects; nothing when it is not known.
std::optional<bool> KnownCondition(const Graph& graph, const Node& node) {
  const Constant& constant = graph.value(node.inputs[0]).constant;
  if (!constant.defined() || constant.dtype() != DType::kBool) return std::nullopt;
  if (constant.tensor().shape().elems() != 1) return std::nullopt;
  return constant.tensor().view().data[0] != std::byte{0};
}

}  // namespace

Status InferIf(Driver& driver, const Graph& graph, const Node& node,
               std::vector<ValueType>& outputs) {
  const GraphPtr then_branch = node.attrs.Subgraph("then_branch");
  const GraphPtr else_branch = node.attrs.Subgraph("else_branch");
  for (const GraphPtr& branch : {then_branch, else_branch}) {
    WB_RETURN_IF_ERROR(driver.RunBody(graph, *branch, {}), "node {}", node.Describe());
    if (branch->outputs.size() < outputs.size()) {
      return Error(Code::kInvalidGraph, "node {} has {} outputs, but its branch '{}' has {}",
                   node.Describe(), outputs.size(), branch->name, branch->outputs.size());
    }
  }
  const std::optional<bool> condition = KnownCondition(graph, node);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& a = then_branch->value(then_branch->outputs[i]).type;
    const ValueType& b = else_branch->value(else_branch->outputs[i]).type;
    if (Contradicts(a, b)) {
      return Error(Code::kInvalidGraph,
                   "node {}: output {} is {} in the then branch, but {} in the else branch",
                   node.Describe(), i, a.TypeString(), b.TypeString());
    }
    outputs[i] = condition ? (*condition ? a : b) : JoinTypes(a, b);
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
