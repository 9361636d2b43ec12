// Patch: one change of a graph, described before it is made.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"

namespace waybill::graph::rewrite {

struct Patch {
  // `name` is static. `anchor` is the node that the patch is about; nodes it inserts stand before
  // that one in the order.
  Patch(std::string_view patch_name, NodeId anchor_node, std::string description)
      : name(patch_name), anchor(anchor_node), what(std::move(description)) {}

  struct Replacement {
    ValueId value, by;
  };
  struct NewConstant {
    ValueId value;
    Constant constant;
  };

  std::string_view name;
  NodeId anchor;
  std::string what;
  std::vector<Replacement> replacements;  // readers of `value` read `by`
  std::vector<Replacement> renames;       // the producer of `by` makes `value` in its place
  std::vector<NewConstant> constants;     // a value becomes one
  std::vector<Node> inserted;             // their outputs are values that exist
  std::vector<NodeId> removed;
};

}  // namespace waybill::graph::rewrite
