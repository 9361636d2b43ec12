// f16 weights as rows of f32.
#pragma once

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::cpu {

// Whether input i of the node is f16 weights that its f32 kernel packs, and they are large.
bool IsWidenedByRows(const graph::NodeRef& node, size_t i);

// Such weights, of which rows are widened when they are read.
Result<graph::Constant> WidenByRows(const graph::Constant& half);

}  // namespace waybill::cpu
