#include <cstring>
#include <limits>
#include <optional>

#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// What FusedConv is told of its activation.
struct Activation {
  std::string name;
  float alpha = 0, beta = 0;
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

// A constant float of one element; nothing when the input is something else.
std::optional<float> ConstantFloat(const Editor& editor, ValueId id) {
  const Constant* constant = editor.ConstantOf(id);
  if (constant == nullptr || constant->dtype() != DType::kF32) return std::nullopt;
  if (constant->shape().elems() != 1) return std::nullopt;
  float value;
  std::memcpy(&value, constant->tensor().view().data, sizeof value);
  return value;
}

std::optional<Activation> ReadClip(const Editor& editor, const Node& node) {
  Activation out;
  out.name = "Clip";
  if (node.since_version < 11) {
    out.min = node.attrs.Float("min", out.min);
    out.max = node.attrs.Float("max", out.max);
    return out;
  }
  for (size_t i = 1; i <= 2; ++i) {
    if (!node.HasInput(i)) continue;
    const auto bound = ConstantFloat(editor, node.inputs[i]);
    if (!bound) return std::nullopt;
    (i == 1 ? out.min : out.max) = *bound;
  }
  return out;
}

std::optional<Activation> ReadActivation(const Editor& editor, const Node& node) {
  if (!node.domain.empty() || !node.HasOutput(0)) return std::nullopt;
  Activation out;
  out.name = node.op_type;
  if (node.Is("Relu") || node.Is("Sigmoid") || node.Is("Tanh")) return out;
  if (node.Is("Clip")) return ReadClip(editor, node);
  if (node.Is("LeakyRelu") || node.Is("HardSigmoid")) {
    out.alpha = node.attrs.Float("alpha", node.Is("LeakyRelu") ? 0.01f : 0.2f);
    out.beta = node.attrs.Float("beta", node.Is("HardSigmoid") ? 0.5f : 0.0f);
    return out;
  }
  return std::nullopt;
}

void Fuse(Editor& editor, NodeId conv_id, NodeId reader, const Activation& activation) {
  const Graph& graph = editor.graph();
  const Node& old = graph.node(reader);
  Node conv = graph.node(conv_id);
  Patch patch("fuse-activation", reader,
              Format("{} takes over {}", conv.Describe(), old.Describe()));
  conv.domain = std::string(kInternalDomain);
  conv.op_type = "FusedConv";
  conv.since_version = 1;
  conv.opset = 1;
  conv.schema = nullptr;
  conv.outputs = {old.outputs[0]};
  conv.attrs.Set("activation", activation.name);
  conv.attrs.Set("activation_alpha", activation.alpha);
  conv.attrs.Set("activation_beta", activation.beta);
  conv.attrs.Set("activation_min", activation.min);
  conv.attrs.Set("activation_max", activation.max);
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
