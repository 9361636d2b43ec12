#include "graph/infer/control/carried.h"

namespace waybill::graph::infer {

namespace {

// Iteration number and condition are scalars; a body that declares them as [1] gets them so.
ValueType ScalarFor(const Graph& body, size_t i, DType dtype) {
  if (i < body.inputs.size()) {
    const Value& input = body.value(body.inputs[i]);
    if (input.declared && input.declared->shape.has_rank() && input.declared->shape.rank() == 1) {
      return ValueType::Tensor(dtype, SymShape(Shape{1}));
    }
  }
  return ValueType::Tensor(dtype, SymShape(Shape{}));
}

}  // namespace

// Loop(M?, cond?, carried...) -> (carried..., scanned...), body (iteration, cond, carried...) ->
// (cond, carried..., scanned...).
Status InferLoop(Driver& driver, const Graph& graph, const Node& node,
                 std::vector<ValueType>& outputs) {
  Graph& body = *node.attrs.Subgraph("body");
  const size_t carried = node.inputs.size() > 2 ? node.inputs.size() - 2 : 0;
  std::vector<ValueType> inputs = {ScalarFor(body, 0, DType::kI64),
                                   ScalarFor(body, 1, DType::kBool)};
  for (size_t i = 0; i < carried; ++i) {
    inputs.push_back(node.HasInput(i + 2) ? graph.value(node.inputs[i + 2]).type : ValueType());
  }
  WB_RETURN_IF_ERROR(InferCarried(driver, graph, node, body, inputs, 2, carried, 1));
  if (body.outputs.size() < outputs.size() + 1) {
    return Error(Code::kInvalidGraph, "node {} has {} outputs, but its body '{}' has {}",
                 node.Describe(), outputs.size(), body.name, body.outputs.size());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& item = body.value(body.outputs[i + 1]).type;
    if (i < carried) {
      // Where the body takes an optional and returns what is in it, the latter counts.
      const bool unwrapped =
          inputs[i + 2].kind == ValueKind::kOptional && item.kind != ValueKind::kOptional;
      outputs[i] = unwrapped ? item : inputs[i + 2];
      continue;
    }
    if (item.kind != ValueKind::kTensor && item.kind != ValueKind::kUnknown) {
      return Error(Code::kInvalidGraph, "node {}: scan output {} is {}, it must be a tensor",
                   node.Describe(), i, item.TypeString());
    }
    outputs[i] = item;
    if (!item.shape.has_rank()) continue;
    std::vector<Dim> dims = {Dim()};
    dims.insert(dims.end(), item.shape.dims().begin(), item.shape.dims().end());
    outputs[i].shape = SymShape(std::move(dims));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
