// Groups of elementwise nodes that can run as one.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/fused/expression.h"
#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// A root and the nodes before it whose results only the group reads.
struct Group {
  NodeId root = kNoNode;
  std::vector<NodeId> nodes;  // in order, the root last
};

// A group as one expression over `inputs` (values from outside the group).
struct GroupExpression {
  Expression expression;
  std::vector<ValueId> inputs;
};

class Grouping {
 public:
  explicit Grouping(const Editor& editor);

  bool IsElementwise(NodeId id) const { return steps_[id].has_value(); }
  // The largest group that ends in `root`, which is elementwise. Nodes of `taken` stay outside.
  Group Collect(NodeId root, const std::unordered_set<NodeId>& taken) const;
  // `first` becomes operand 0 when it is an input of the group; kNoValue: the order of first use.
  // Nothing when it would have too many steps or inputs.
  std::optional<GroupExpression> Express(const Group& group, ValueId first = kNoValue) const;
  // All readers of the value are nodes of the group, and it is no output.
  bool ReadOnlyBy(ValueId value, const Group& group) const;
  size_t position(NodeId id) const { return position_[id]; }

 private:
  const Editor& editor_;
  std::vector<std::optional<std::vector<ExprStep>>> steps_;  // by node
  std::vector<size_t> position_;                             // by node
};

}  // namespace waybill::graph::rewrite
