// Types and symbolic shapes of a whole model: element types by the schemas' type letters, shapes by
// the operators' rules, bodies of If, Loop, Scan and SequenceMap from the outside in.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status/status.h"
#include "graph/infer/context.h"
#include "graph/ir/graph.h"

namespace waybill::graph::infer {

// Sets the type and the symbolic contents of every value anew, from the types of the main graph's
// inputs and from constants. To be called after import, and again after rewrites or when the types
// of inputs were changed.
// What the file declares of other values counts as follows: an element type that contradicts the
// inferred one is an error; a rank or a dimension's name is taken where inference has none; numbers
// are taken for outputs of the main graph only, where inference has none. (Producers often declare
// wrong numbers.)
// Errors: kInvalidGraph for types, the codes of the rules for shapes; node, operator, opset and
// input types are named.
Status InferModel(Model& model);

// The same for one graph whose inputs and captures have their types.
Status InferGraph(Graph& graph);

// The same for one node whose inputs have their types.
Status InferNode(Graph& graph, NodeId id);

// Gives free dimensions a size, by name, in everything that is known or declared of the model;
// InferModel must follow. A name that the model does not have is a warning of the model.
// Errors: kInvalidArgument for a negative size.
Status OverrideDims(Model& model, const std::map<std::string, int64_t>& sizes);

}  // namespace waybill::graph::infer
