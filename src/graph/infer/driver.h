// The walk over a graph's nodes, and what the rules of control flow need of it.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/infer/context.h"
#include "graph/ir/graph.h"
#include "graph/schema/schema.h"

namespace waybill::graph::infer {

class Driver {
 public:
  // All nodes in order.
  Status Run(Graph& graph);
  Status RunNode(Graph& graph, NodeId id);

  // Infers a body: gives its captures the types of the values of `outer` that they stand for, its
  // inputs the given types (declared ones where these are unknown), and runs it.
  // Errors: kInvalidGraph when the body has another number of inputs or declares them otherwise.
  Status RunBody(const Graph& outer, Graph& body, const std::vector<ValueType>& inputs);

  // Loops around the present node whose bodies are inferred repeatedly.
  int loop_depth = 0;

 private:
  InferFn RuleOf(const Node& node);
  Status Infer(Graph& graph, const Node& node, std::vector<ValueType>& outputs,
               std::vector<std::optional<std::vector<Dim>>>& contents);
  Status Store(Graph& graph, const Node& node, std::vector<ValueType> outputs,
               std::vector<std::optional<std::vector<Dim>>> contents);

  std::unordered_map<const schema::OpSchema*, InferFn> rules_;
};

// Types of the outputs of an operator with bodies, in place; letters are bound already.
using ControlFn = Status (*)(Driver& driver, const Graph& graph, const Node& node,
                             std::vector<ValueType>& outputs);
Status InferIf(Driver& driver, const Graph& graph, const Node& node,
               std::vector<ValueType>& outputs);
Status InferLoop(Driver& driver, const Graph& graph, const Node& node,
                 std::vector<ValueType>& outputs);
Status InferScan(Driver& driver, const Graph& graph, const Node& node,
                 std::vector<ValueType>& outputs);
Status InferSequenceMap(Driver& driver, const Graph& graph, const Node& node,
                        std::vector<ValueType>& outputs);

}  // namespace waybill::graph::infer
