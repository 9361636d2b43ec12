#include "graph/rewrite/passes/elementwise/producer.h"

namespace waybill::graph::rewrite {

namespace {

bool SameShape(const SymShape& a, const SymShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (!a[i].SameAs(b[i])) return false;
  }
  return true;
}

bool IsMatMul(const Node& node) { return node.op_type == "MatMul"; }

// The axis of the output that has one bias each.
size_t ChannelAxis(const Node& node, size_t rank) { return IsMatMul(node) ? rank - 1 : 1; }

// All dims are 1 but that of the channels, which may be.
bool IsPerChannel(const SymShape& shape, const SymShape& out, size_t channel_axis) {
  if (!shape.has_rank() || shape.rank() > out.rank()) return false;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const Dim& dim = shape[i];
    const size_t axis = out.rank() - shape.rank() + i;
    if (dim.known() && dim.value() == 1) continue;
    if (axis != channel_axis || !dim.SameAs(out[axis])) return false;
  }
  return true;
}

}  // namespace

bool IsEpilogueProducer(const Editor& editor, NodeId id) {
  const Graph& graph = editor.graph();
  const Node& node = graph.node(id);
  if (!node.alive || node.outputs.size() != 1 || !node.HasOutput(0)) return false;
  const ValueType& type = graph.value(node.outputs[0]).type;
  if (!type.is_tensor() || type.dtype != DType::kF32 || !type.shape.has_rank()) return false;
  if (node.attrs.Has("expr")) return false;
  if (node.domain == kInternalDomain) {
    return node.op_type == "Conv" || node.op_type == "ConvTranspose" || node.op_type == "MatMul";
  }
  if (node.Is("Conv") || node.Is("ConvTranspose")) return true;
  if (!node.Is("MatMul")) return false;
  const Constant* b = editor.ConstantOf(node.inputs[1]);
  return b != nullptr && b->shape().rank() == 2 && type.shape.rank() >= 2;
}

bool TakesEpilogue(const Editor& editor, NodeId producer, const std::vector<ValueId>& inputs,
                   ValueId result) {
  const Graph& graph = editor.graph();
  const Node& node = graph.node(producer);
  const SymShape& out = graph.value(node.outputs[0]).type.shape;
  if (graph.value(result).type.shape.has_rank() &&
      graph.value(result).type.shape.rank() != out.rank()) {
    return false;
  }
  for (const ValueId input : inputs) {
    if (input == node.outputs[0]) continue;
    const SymShape& shape = graph.value(input).type.shape;
    if (SameShape(shape, out)) continue;
    if (!IsPerChannel(shape, out, ChannelAxis(node, out.rank()))) return false;
  }
  return true;
}

Node AsInternal(const Node& producer) {
  Node node = producer;
  if (producer.domain == kInternalDomain) return node;
  node.domain = std::string(kInternalDomain);
  node.since_version = node.opset = 1;
  node.schema = nullptr;
  return node;
}

Node WithEpilogue(const Node& producer, const GroupExpression& fused) {
  Node node = AsInternal(producer);
  node.inputs.resize(3, kNoValue);
  node.inputs.insert(node.inputs.end(), fused.inputs.begin() + 1, fused.inputs.end());
  node.attrs.Set("expr", fused.expression.Print());
  return node;
}

}  // namespace waybill::graph::rewrite
