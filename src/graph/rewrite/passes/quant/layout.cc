// Chains of quantized convolutions keep their channels last: each node makes a channels-last twin
// of its output, and a Transpose makes the output itself, which goes where nobody reads it.
#include <map>

#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kTransposeOpset = 13;
const std::vector<int64_t> kToLast = {0, 2, 3, 1};
const std::vector<int64_t> kToFirst = {0, 3, 1, 2};

Node TransposeNode(ValueId from, ValueId to, const std::vector<int64_t>& perm) {
  Node node;
  node.op_type = "Transpose";
  node.schema = schema::Find("", "Transpose", kTransposeOpset);
  node.since_version = node.opset = kTransposeOpset;
  node.attrs.Set("perm", perm);
  node.inputs = {from};
  node.outputs = {to};
  return node;
}

class QuantizedLayout {
 public:
  explicit QuantizedLayout(Editor& editor) : editor_(editor) {}

  void Visit(NodeId id) {
    const Node& node = graph().node(id);
    if (!node.alive || !node.HasOutput(0) || !IsImage(node.outputs[0])) return;
    if (node.Is("QLinearConv", kInternalDomain) || node.Is("QLinearConv")) {
      if (node.attrs.Int("channels_last") == 0) Convert(id, {0}, true);
    } else if (node.Is("QLinearAdd", kInternalDomain)) {
      if (HasTwin(node.inputs[0]) || HasTwin(node.inputs[3])) Convert(id, {0, 3}, false);
    } else if (node.Is("QLinearGlobalAveragePool", kInternalDomain)) {
      if (HasTwin(node.inputs[0]) && node.attrs.Int("channels_last") == 0) Convert(id, {0}, true);
    }
  }

 private:
  const Graph& graph() const { return editor_.graph(); }
  bool HasTwin(ValueId value) const { return twins_.contains(value); }
  bool IsImage(ValueId value) const {
    const SymShape& shape = graph().value(value).type.shape;
    return shape.has_rank() && shape.rank() == 4;
  }

  void Convert(NodeId id, std::vector<size_t> data, bool attribute) {
    Node node = graph().node(id);
    for (const size_t i : data) {
      if (!IsImage(node.inputs[i])) return;
    }
    Patch patch("quantized-channels-last", id,
                Format("{} works on channels last", node.Describe()));
    std::map<ValueId, ValueId> made;
    for (const size_t i : data) {
      const ValueId from = node.inputs[i];
      if (!HasTwin(from) && !made.contains(from)) {
        made[from] = editor_.AddValue(graph().value(from).name + "/channels_last");
        patch.inserted.push_back(TransposeNode(from, made[from], kToLast));
      }
      node.inputs[i] = HasTwin(from) ? twins_[from] : made[from];
    }
    node.domain = std::string(kInternalDomain);
    node.schema = nullptr;
    node.since_version = node.opset = 1;
    if (attribute) node.attrs.Set("channels_last", int64_t{1});
    const ValueId out = node.outputs[0];
    const ValueId twin = editor_.AddValue(graph().value(out).name + "/channels_last");
    node.outputs = {twin};
    patch.inserted.push_back(std::move(node));
    patch.inserted.push_back(TransposeNode(twin, out, kToFirst));
    patch.removed = {id};
    if (!editor_.Apply(std::move(patch))) return;
    twins_.insert(made.begin(), made.end());
    twins_[out] = twin;
  }

  Editor& editor_;
  std::map<ValueId, ValueId> twins_;
};

}  // namespace

Status QuantizedChannelsLast(Editor& editor) {
  QuantizedLayout layout(editor);
  for (const NodeId id : editor.order()) layout.Visit(id);
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
