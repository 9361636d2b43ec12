// Constants that a node makes of other constants, row by row and only when they are read.
#pragma once

#include <cstddef>
#include <span>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "kernel/select/select.h"

namespace waybill::exec {

// The output of a DequantizeLinear or Cast of constants as rows that the run's own kernels compute,
// about `block_bytes` at a time; undefined where the node is another or its rows can not be told
// apart. The constant may outlive the node, its graph and the providers.
Result<graph::Constant> DeferRows(const graph::NodeRef& node,
                                  std::span<const kernel::Provider> providers, size_t block_bytes);

}  // namespace waybill::exec
