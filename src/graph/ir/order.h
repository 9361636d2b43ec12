// Topological order of a graph's nodes.
#pragma once

#include "base/status/status.h"
#include "graph/ir/graph.h"

namespace waybill::graph {

// Puts the live nodes into an order in which everything is computed before it is read (captures of
// subgraphs included), keeping the present order where it is one. O(nodes + uses, times a
// logarithm if they must be sorted).
// Errors: kInvalidGraph naming the nodes of a cycle.
Status SortNodes(Graph& graph);

}  // namespace waybill::graph
