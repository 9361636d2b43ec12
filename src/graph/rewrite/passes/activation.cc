#include <cstring>
#include <limits>
#include <optional>

#include "graph/fused/expression.h"
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// A constant float of one element; nothing when the input is something else.
std::optional<float> ConstantFloat(const Editor& editor, ValueId id) {
  const Constant* constant = editor.ConstantOf(id);
  if (constant == nullptr || constant->dtype() != DType::kF32) return std::nullopt;
  if (constant->shape().elems() != 1) return std::nullopt;
  float value;
  std::memcpy(&value, constant->tensor().view().data, sizeof value);
  return value;
}

ExprStep Step(ExprOp op, float b = 0, float c = 0) {
  return {op, {ExprOperand::Input(0), ExprOperand::Number(b), ExprOperand::Number(c)}};
}

std::optional<ExprStep> ReadClip(const Editor& editor, const Node& node) {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  if (node.since_version < 11) {
    return Step(ExprOp::kClip, node.attrs.Float("min", low), node.attrs.Float("max", high));
  }
  for (size_t i = 1; i <= 2; ++i) {
    if (!node.HasInput(i)) continue;
    const auto bound = ConstantFloat(editor, node.inputs[i]);
    if (!bound) return std::nullopt;
    (i == 1 ? low : high) = *bound;
  }
  return Step(ExprOp::kClip, low, high);
}

std::optional<ExprStep> ReadActivation(const Editor& editor, const Node& node) {
  if (!node.domain.empty() || !node.HasOutput(0)) return std::nullopt;
  if (node.Is("Relu")) return Step(ExprOp::kRelu);
  if (node.Is("Sigmoid")) return Step(ExprOp::kSigmoid);
  if (node.Is("Tanh")) return Step(ExprOp::kTanh);
  if (node.Is("Clip")) return ReadClip(editor, node);
  if (node.Is("LeakyRelu")) {
    return Step(ExprOp::kLeakyRelu, node.attrs.Float("alpha", 0.01f));
  }
  if (node.Is("HardSigmoid")) {
    return Step(ExprOp::kHardSigmoid, node.attrs.Float("alpha", 0.2f),
                node.attrs.Float("beta", 0.5f));
  }
  return std::nullopt;
}

void Fuse(Editor& editor, NodeId conv_id, NodeId reader, const ExprStep& activation) {
  const Graph& graph = editor.graph();
  const Node& old = graph.node(reader);
  Node conv = graph.node(conv_id);
  Patch patch("fuse-activation", reader,
              Format("{} takes over {}", conv.Describe(), old.Describe()));
  conv.domain = std::string(kInternalDomain);
  conv.since_version = 1;
  conv.opset = 1;
  conv.schema = nullptr;
  conv.outputs = {old.outputs[0]};
  Expression expression;
  expression.Append(activation);
  conv.attrs.Set("expr", expression.Print());
  patch.inserted.push_back(std::move(conv));
  patch.removed = {reader, conv_id};
  editor.Apply(std::move(patch));
}

}  // namespace

Status FuseActivations(Editor& editor) {
  const Graph& graph = editor.graph();
  for (const NodeId id : editor.order()) {
    const Node& conv = graph.node(id);
    if (!conv.alive || !conv.Is("Conv") || !conv.HasOutput(0)) continue;
    if (graph.value(conv.outputs[0]).type.dtype != DType::kF32) continue;
    const NodeId reader = editor.SingleReader(conv.outputs[0]);
    if (reader == kNoNode || graph.node(reader).inputs[0] != conv.outputs[0]) continue;
    if (const auto activation = ReadActivation(editor, graph.node(reader))) {
      Fuse(editor, id, reader, *activation);
    }
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
