// Going through a graph and the bodies in it.
#pragma once

#include <variant>
#include <vector>

#include "graph/ir/graph.h"

namespace waybill::graph::exporting {

// Calls fn(const Graph&) for each body of the node.
template <typename Fn>
void ForEachBody(const Node& node, Fn fn) {
  for (const Attribute& attribute : node.attrs.all()) {
    if (const auto* body = std::get_if<GraphPtr>(&attribute.value)) fn(**body);
    if (const auto* bodies = std::get_if<std::vector<GraphPtr>>(&attribute.value)) {
      for (const GraphPtr& item : *bodies) fn(*item);
    }
  }
}

// Calls fn(const Graph&, const Node&) for the live nodes of the graph and of the bodies in it.
template <typename Fn>
void ForEachNode(const Graph& graph, Fn fn) {
  for (const NodeId id : graph.order()) {
    fn(graph, graph.node(id));
    ForEachBody(graph.node(id), [&](const Graph& body) { ForEachNode(body, fn); });
  }
}

}  // namespace waybill::graph::exporting
