// Groups of elementwise nodes become the epilogue of the convolution or matrix product before
// them, or one Elementwise node.
#include <algorithm>

#include "graph/rewrite/passes/elementwise/group.h"
#include "graph/rewrite/passes/elementwise/producer.h"
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// The producer that takes the group as its epilogue: the last in order that can.
NodeId FindProducer(const Editor& editor, const Grouping& grouping, const Group& group,
                    const std::vector<ValueId>& inputs) {
  const Graph& graph = editor.graph();
  const ValueId result = graph.node(group.root).outputs[0];
  NodeId best = kNoNode;
  for (const ValueId input : inputs) {
    const NodeId id = graph.value(input).producer;
    if (id == kNoNode || editor.ConstantOf(input) != nullptr) continue;
    if (!IsEpilogueProducer(editor, id) || !grouping.ReadOnlyBy(input, group)) continue;
    if (!TakesEpilogue(editor, id, inputs, result)) continue;
    if (best == kNoNode || grouping.position(id) > grouping.position(best)) best = id;
  }
  return best;
}

bool FuseIntoProducer(Editor& editor, const Grouping& grouping, const Group& group,
                      NodeId producer) {
  const Graph& graph = editor.graph();
  const auto fused = grouping.Express(group, graph.node(producer).outputs[0]);
  if (!fused) return false;
  Node node = WithEpilogue(graph.node(producer), *fused);
  Patch patch(
      "fuse-epilogue", group.root,
      Format("{} takes over {}", graph.node(producer).Describe(), fused->expression.Print()));
  node.outputs = {graph.node(group.root).outputs[0]};
  patch.inserted.push_back(std::move(node));
  patch.removed = group.nodes;
  patch.removed.push_back(producer);
  return editor.Apply(std::move(patch));
}

bool FuseIntoOne(Editor& editor, const Grouping& grouping, const Group& group) {
  const Graph& graph = editor.graph();
  auto fused = grouping.Express(group);
  if (!fused) return false;
  const Node& root = graph.node(group.root);
  Node node;
  node.name = root.name;
  node.domain = std::string(kInternalDomain);
  node.op_type = "Elementwise";
  node.since_version = node.opset = 1;
  node.inputs = std::move(fused->inputs);
  node.outputs = {root.outputs[0]};
  node.attrs.Set("expr", fused->expression.Print());
  Patch patch("fuse-elementwise", group.root,
              Format("{} nodes become {}", group.nodes.size(), fused->expression.Print()));
  patch.inserted.push_back(std::move(node));
  patch.removed = group.nodes;
  return editor.Apply(std::move(patch));
}

}  // namespace

Status FuseElementwise(Editor& editor) {
  const Grouping grouping(editor);
  std::unordered_set<NodeId> taken;
  const std::vector<NodeId> order = editor.order();
  // From the last to the first: a group ends where something else reads its result.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!editor.graph().node(*it).alive || !grouping.IsElementwise(*it) || taken.count(*it) != 0) {
      continue;
    }
    const Group group = grouping.Collect(*it, taken);
    const auto fused = grouping.Express(group);
    if (!fused) continue;
    const NodeId producer = FindProducer(editor, grouping, group, fused->inputs);
    const bool done = producer != kNoNode
                          ? FuseIntoProducer(editor, grouping, group, producer)
                          : group.nodes.size() > 1 && FuseIntoOne(editor, grouping, group);
    if (done) taken.insert(group.nodes.begin(), group.nodes.end());
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
