// How a rewrite computes constants without knowing any kernel: `exec` implements this with the
// run's own kernels and `session` hands it in.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::graph {

class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;

  // Outputs of a node all of whose inputs are constants, in order of node.outputs (undefined
  // Constants where omitted). Refuses (kInvalidArgument) when the outputs would take more than
  // `max_bytes`; kNotImplemented when no kernel takes the node or an output is not a tensor.
  virtual Result<std::vector<Constant>> Evaluate(const Graph& graph, const Node& node,
                                                 size_t max_bytes) = 0;

  // The only output of such a node as rows that are computed when they are read, about
  // `block_bytes` at a time and of the same bits that Evaluate gives; undefined where that can not
  // be done for this node.
  virtual Result<Constant> Defer(const Graph& graph, const Node& node, size_t block_bytes) = 0;
};

}  // namespace waybill::graph
