#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

bool IsUnread(const Editor& editor, const Node& node, size_t output) {
  if (!node.HasOutput(output)) return true;
  const ValueId id = node.outputs[output];
  return editor.uses(id) == 0 && !editor.is_output(id);
}

bool IsConstantFalse(const Editor& editor, const Node& node, size_t input) {
  if (!node.HasInput(input)) return true;
  const Constant* constant = editor.ConstantOf(node.inputs[input]);
  return constant != nullptr && constant->dtype() == DType::kBool &&
         constant->shape().elems() == 1 && constant->tensor().view().data[0] == std::byte{0};
}

// The versions before 7 say by an attribute that they run at inference, 7 and 10 always do.
bool IsInferenceDropout(const Editor& editor, const Node& node) {
  if (!node.Is("Dropout") || !IsUnread(editor, node, 1)) return false;
  if (node.since_version < 7) return node.attrs.Int("is_test") != 0;
  return node.since_version < 12 || IsConstantFalse(editor, node, 2);
}

// The name of the patch that removes the node; empty when the node does something.
std::string_view PatchName(const Editor& editor, const Node& node) {
  if (!node.HasInput(0) || !node.HasOutput(0)) return {};
  if (node.Is("Identity")) return "remove-identity";
  if (IsInferenceDropout(editor, node)) return "remove-dropout";
  if (node.Is("Cast") || node.Is("CastLike")) {
    const ValueType& from = editor.graph().value(node.inputs[0]).type;
    const ValueType& to = editor.graph().value(node.outputs[0]).type;
    if (from.is_tensor() && from.SameTypeAs(to)) return "remove-cast";
  }
  return {};
}

}  // namespace

Status RemoveIdentities(Editor& editor) {
  Graph& graph = editor.graph();
  for (const NodeId id : editor.order()) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    const std::string_view name = PatchName(editor, node);
    if (name.empty()) continue;
    const ValueId from = node.inputs[0], to = node.outputs[0];
    const std::string &a = graph.value(from).name, &b = graph.value(to).name;
    if (!editor.is_output(to)) {
      Patch patch(name, id, Format("readers of '{}' read '{}'", b, a));
      patch.replacements.push_back({to, from});
      patch.removed.push_back(id);
      editor.Apply(std::move(patch));
      continue;
    }
    // The output's name must stay: the producer of the input makes it in its place, which is safe
    // unless that is an output too, or comes from outside the nodes of this graph.
    if (!editor.IsComputed(from) || editor.is_output(from)) continue;
    Patch patch(name, id, Format("the node that makes '{}' makes '{}'", a, b));
    patch.removed.push_back(id);
    patch.renames.push_back({to, from});
    editor.Apply(std::move(patch));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
