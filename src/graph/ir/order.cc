#include "graph/ir/order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace waybill::graph {

namespace {

// Calls fn(value) for each value that the node reads, by inputs and by captures of its subgraphs.
template <typename Fn>
void ForEachRead(const Node& node, Fn fn) {
  const auto captures = [&](const Graph& body) {
    for (const Capture& capture : body.captures) fn(capture.outer);
  };
  for (const ValueId input : node.inputs) {
    if (input != kNoValue) fn(input);
  }
  for (const Attribute& attribute : node.attrs.all()) {
    if (const auto* body = std::get_if<GraphPtr>(&attribute.value)) captures(**body);
    if (const auto* bodies = std::get_if<std::vector<GraphPtr>>(&attribute.value)) {
      for (const GraphPtr& body : *bodies) captures(*body);
    }
  }
}

bool IsSorted(const Graph& graph) {
  std::vector<bool> done(graph.num_nodes());
  for (const NodeId id : graph.order()) {
    bool sorted = true;
    ForEachRead(graph.node(id), [&](ValueId value) {
      const NodeId producer = graph.value(value).producer;
      sorted = sorted && (producer == kNoNode || done[producer]);
    });
    if (!sorted) return false;
    done[id] = true;
  }
  return true;
}

// `waiting[node]` > 0: not placed. Walks back from one such node until a node comes again.
Status DescribeCycle(const Graph& graph, const std::vector<size_t>& waiting) {
  const auto& order = graph.order();
  NodeId at = *std::find_if(order.begin(), order.end(), [&](NodeId id) { return waiting[id] > 0; });
  std::vector<bool> seen(graph.num_nodes());
  std::vector<NodeId> path;
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    NodeId next = at;
    ForEachRead(graph.node(at), [&](ValueId value) {
      const NodeId producer = graph.value(value).producer;
      if (producer != kNoNode && waiting[producer] > 0) next = producer;
    });
    at = next;
  }
  constexpr size_t kShown = 8;
  std::string text;
  const auto begin = std::find(path.begin(), path.end(), at);
  for (auto it = begin; it != path.end() && it - begin < static_cast<ptrdiff_t>(kShown); ++it) {
    text += graph.node(*it).Describe() + " <- ";
  }
  if (path.end() - begin > static_cast<ptrdiff_t>(kShown)) text += "... <- ";
  return Error(Code::kInvalidGraph, "the graph has a cycle: {}{}", text, graph.node(at).Describe());
}

}  // namespace

Status SortNodes(Graph& graph) {
  if (IsSorted(graph)) return Status::Ok();
  std::vector<size_t> waiting(graph.num_nodes());
  std::vector<size_t> place(graph.num_nodes());
  std::vector<std::vector<NodeId>> readers(graph.num_nodes());
  for (size_t i = 0; i < graph.order().size(); ++i) {
    const NodeId id = graph.order()[i];
    place[id] = i;
    ForEachRead(graph.node(id), [&](ValueId value) {
      const NodeId producer = graph.value(value).producer;
      if (producer == kNoNode) return;
      ++waiting[id];
      readers[producer].push_back(id);
    });
  }
  // Of the nodes that are ready, the one that comes first in the present order.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (const NodeId id : graph.order()) {
    if (waiting[id] == 0) ready.push(place[id]);
  }
  std::vector<NodeId> sorted;
  while (!ready.empty()) {
    const NodeId id = graph.order()[ready.top()];
    ready.pop();
    sorted.push_back(id);
    for (const NodeId reader : readers[id]) {
      if (--waiting[reader] == 0) ready.push(place[reader]);
    }
  }
  if (sorted.size() != graph.order().size()) return DescribeCycle(graph, waiting);
  graph.SetOrder(std::move(sorted));
  return Status::Ok();
}

}  // namespace waybill::graph
