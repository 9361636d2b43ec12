// Which operator set version a file imports for each domain, and which nodes that does not suit.
#pragma once

#include <map>
#include <string>

#include "graph/ir/graph.h"

namespace waybill::graph::exporting {

using OpsetImports = std::map<std::string, int>;

// The version of each domain that nodes use, and of ai.onnx: the model's own, or another one if
// more nodes (of inlined functions, say) mean the same under that.
OpsetImports ChooseImports(const Model& model);

// True when a reader who imports `version` of the node's domain understands the node as it is
// meant.
bool Suits(const Graph& graph, const Node& node, int version);

}  // namespace waybill::graph::exporting
