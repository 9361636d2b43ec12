#include "graph/ir/graph.h"

#include <algorithm>

#include "base/status/check.h"
#include "base/text/printable.h"

namespace waybill::graph {

namespace {

void NoteUse(std::vector<std::vector<NodeId>>& uses, ValueId value, NodeId node) {
  if (value != kNoValue) uses[value].push_back(node);
}

void NoteCaptures(std::vector<std::vector<NodeId>>& uses, const Graph& body, NodeId node) {
  for (const Capture& capture : body.captures) NoteUse(uses, capture.outer, node);
}

}  // namespace

std::string Node::Describe() const {
  std::string out = name.empty() ? std::string("(unnamed)") : PrintableName(name);
  out += " (";
  if (!domain.empty()) out += PrintableName(domain) + ":";
  out += PrintableName(op_type);
  if (since_version > 0) out += "-" + std::to_string(since_version);
  return out + ")";
}

ValueId Graph::AddValue(Value value) {
  WB_DCHECK(values_.size() < kNoValue);
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size() - 1);
}

NodeId Graph::AddNode(Node node) {
  WB_DCHECK(nodes_.size() < kNoNode);
  const auto id = static_cast<NodeId>(nodes_.size());
  for (const ValueId output : node.outputs) {
    if (output != kNoValue) values_[output].producer = id;
  }
  nodes_.push_back(std::move(node));
  order_.push_back(id);
  return id;
}

void Graph::RemoveNode(NodeId id) {
  nodes_[id].alive = false;
  order_.erase(std::remove(order_.begin(), order_.end(), id), order_.end());
}

std::vector<std::vector<NodeId>> Graph::Consumers() const {
  std::vector<std::vector<NodeId>> uses(values_.size());
  for (const NodeId id : order_) {
    for (const ValueId input : nodes_[id].inputs) NoteUse(uses, input, id);
    for (const Attribute& attribute : nodes_[id].attrs.all()) {
      if (const auto* body = std::get_if<GraphPtr>(&attribute.value)) {
        if (*body) NoteCaptures(uses, **body, id);
      } else if (const auto* bodies = std::get_if<std::vector<GraphPtr>>(&attribute.value)) {
        for (const GraphPtr& item : *bodies) NoteCaptures(uses, *item, id);
      }
    }
  }
  return uses;
}

bool Graph::IsOutput(ValueId id) const {
  return std::find(outputs.begin(), outputs.end(), id) != outputs.end();
}

}  // namespace waybill::graph
