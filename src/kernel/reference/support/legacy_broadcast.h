// Broadcasting of binary operators before opset 7: attribute `broadcast` allows the second operand
// to be a contiguous part of the first one's dimensions, from attribute `axis` on (without it: the
// last ones). The same in terms of numpy's rule: the second operand's shape with ones behind it.
#pragma once

#include <optional>

#include "graph/ir/graph.h"
#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

struct LegacyBroadcast {
  bool active = false;          // the node's version is below 7
  std::optional<int64_t> axis;  // as in the node, may be negative

  static LegacyBroadcast Of(const graph::NodeRef& node) {
    LegacyBroadcast legacy;
    legacy.active = node.since_version() < 7;
    if (const int64_t* axis = node.attrs().Get<int64_t>("axis")) legacy.axis = *axis;
    return legacy;
  }

  // The shape as which the second operand broadcasts by numpy's rule. Inference has checked that
  // the dimensions fit.
  Shape Second(const Shape& first, const Shape& second) const {
    if (!active || second.elems() == 1 || second.rank() >= first.rank()) return second;
    int64_t start = axis ? *axis : static_cast<int64_t>(first.rank() - second.rank());
    if (start < 0) start += static_cast<int64_t>(first.rank());
    Shape placed = second;
    while (placed.rank() + static_cast<size_t>(start) < first.rank()) placed.PushBack(1);
    return placed;
  }
};

}  // namespace waybill::kernel::reference
