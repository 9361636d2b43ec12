// Layer normalisations that are written out in a graph.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

struct LayerNormMatch {
  ValueId x = kNoValue;
  size_t axis = 0;  // the only one that is averaged over
  float epsilon = 0;
  // One number for each place of the axis, which change no shape; kNoValue without.
  ValueId scale = kNoValue, bias = kNoValue;
  NodeId last = kNoNode;      // makes the result, which has the shape of `x`
  std::vector<NodeId> nodes;  // `last` and the nodes before it that nothing else reads
};

class LayerNormMatcher {
 public:
  explicit LayerNormMatcher(const Editor& editor) : editor_(editor), graph_(editor.graph()) {}

  // The normalisation whose core ends in node `id`:
  //   d = x - ReduceMean(x); d / Sqrt(ReduceMean(d^2) + epsilon) [* scale [+ bias]], or
  //   m = Reciprocal(Sqrt(ReduceMean(d^2) + epsilon)) * scale; x * m + (bias - ReduceMean(x) * m).
  std::optional<LayerNormMatch> Find(NodeId id);

 private:
  bool ByDivision(NodeId id);
  bool ByFactor(NodeId id);
  bool IsScaledReciprocal(ValueId factor);
  bool IsDeviation(ValueId value);
  bool IsSquare(ValueId value);
  bool IsMean(ValueId value, ValueId of);
  bool IsVector(ValueId value) const;
  void TakeScaleAndBias();
  ValueId VectorBeside(ValueId value, std::string_view op, NodeId& reader) const;
  const Node* Producer(ValueId value, std::string_view op) const;
  const Node* Arithmetic(ValueId value, std::string_view op) const;

  const Editor& editor_;
  const Graph& graph_;
  LayerNormMatch match_;
  std::optional<size_t> axis_;
};

}  // namespace waybill::graph::rewrite
