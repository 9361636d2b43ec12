// Element types by the type letters of a schema.
#pragma once

#include <string>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::graph::infer {

// "float [2, 3], omitted, int64 [N]": the types of a node's inputs, for messages.
std::string DescribeInputs(const Graph& graph, const Node& node);

// The types (without shapes) that the input types determine for the node's outputs: those of bound
// letters, and those of parameters that have only one type. Unknown where the operator's rule must
// say it. node.schema is not null.
// Errors: kInvalidGraph for an input type that the schema does not allow, or that differs from
// another input's of the same letter.
Result<std::vector<ValueType>> BindLetters(const Graph& graph, const Node& node);

// Refuses output types that the schema does not allow. Unknown ones pass.
Status CheckOutputTypes(const Node& node, const std::vector<ValueType>& outputs);

}  // namespace waybill::graph::infer
