#include "graph/rewrite/passes/elementwise/group.h"

#include <algorithm>
#include <unordered_map>

#include "graph/rewrite/passes/elementwise/steps.h"

namespace waybill::graph::rewrite {

namespace {

// Computing `inner` at the size of `outer` would repeat work.
bool IsSmaller(const SymShape& inner, const SymShape& outer) {
  if (!inner.has_rank() || !outer.has_rank()) return inner.has_rank() != outer.has_rank();
  if (inner.rank() != outer.rank()) return true;
  for (size_t i = 0; i < inner.rank(); ++i) {
    if (inner[i].known() && !inner[i].SameAs(outer[i])) return true;
  }
  return false;
}

}  // namespace

Grouping::Grouping(const Editor& editor)
    : editor_(editor), steps_(editor.graph().num_nodes()), position_(editor.graph().num_nodes()) {
  const auto& order = editor.order();
  for (size_t i = 0; i < order.size(); ++i) {
    position_[order[i]] = i;
    steps_[order[i]] = ElementwiseSteps(editor, editor.graph().node(order[i]));
  }
}

bool Grouping::ReadOnlyBy(ValueId value, const Group& group) const {
  return editor_.ReadOnlyBy(value, {group.nodes.begin(), group.nodes.end()});
}

Group Grouping::Collect(NodeId root, const std::unordered_set<NodeId>& taken) const {
  const Graph& graph = editor_.graph();
  const SymShape& shape = graph.value(graph.node(root).outputs[0]).type.shape;
  std::unordered_set<NodeId> members{root};
  size_t num_steps = steps_[root]->size();
  const auto joins = [&](NodeId id) {
    if (id == kNoNode || id >= steps_.size() || !steps_[id] || !graph.node(id).alive) return false;
    if (members.count(id) != 0 || taken.count(id) != 0) return false;
    if (num_steps + steps_[id]->size() > kMaxExprSteps) return false;
    const ValueId out = graph.node(id).outputs[0];
    return !IsSmaller(graph.value(out).type.shape, shape) && editor_.ReadOnlyBy(out, members);
  };
  // Producers are looked at from the last to the first, so all readers were looked at before.
  std::vector<NodeId> waiting{root};
  const auto earlier = [&](NodeId a, NodeId b) { return position_[a] < position_[b]; };
  while (!waiting.empty()) {
    std::pop_heap(waiting.begin(), waiting.end(), earlier);
    const NodeId at = waiting.back();
    waiting.pop_back();
    if (at != root) {
      if (!joins(at)) continue;
      members.insert(at);
      num_steps += steps_[at]->size();
    }
    for (const ValueId input : graph.node(at).inputs) {
      if (input == kNoValue) continue;
      const NodeId producer = graph.value(input).producer;
      if (producer == kNoNode || producer >= steps_.size() || !steps_[producer]) continue;
      waiting.push_back(producer);
      std::push_heap(waiting.begin(), waiting.end(), earlier);
    }
  }
  Group group{root, std::vector<NodeId>(members.begin(), members.end())};
  std::sort(group.nodes.begin(), group.nodes.end(), earlier);
  return group;
}

std::optional<GroupExpression> Grouping::Express(const Group& group, ValueId first) const {
  const Graph& graph = editor_.graph();
  GroupExpression out;
  if (first != kNoValue) out.inputs.push_back(first);
  std::unordered_map<ValueId, ExprOperand> known;
  const auto operand = [&](ValueId value) {
    if (const auto it = known.find(value); it != known.end()) return it->second;
    const auto at = std::find(out.inputs.begin(), out.inputs.end(), value);
    if (at == out.inputs.end()) out.inputs.push_back(value);
    return ExprOperand::Input(static_cast<size_t>(
        std::find(out.inputs.begin(), out.inputs.end(), value) - out.inputs.begin()));
  };
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    const size_t base = out.expression.steps().size();
    size_t last = 0;
    for (ExprStep step : *steps_[id]) {
      for (size_t i = 0; i < InfoOf(step.op).arity; ++i) {
        ExprOperand& arg = step.args[i];
        if (arg.kind == ExprOperand::Kind::kTemp) {
          arg.index += static_cast<uint32_t>(base);
        } else if (arg.kind == ExprOperand::Kind::kInput) {
          arg = operand(node.inputs[arg.index]);
        }
      }
      last = out.expression.Append(step);
    }
    known[node.outputs[0]] = ExprOperand::Temp(last);
  }
  if (out.expression.steps().size() > kMaxExprSteps || out.inputs.size() > kMaxExprInputs) {
    return std::nullopt;
  }
  return out;
}

}  // namespace waybill::graph::rewrite
