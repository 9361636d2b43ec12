// The bytes that decide the contents of a constant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph/ir/constant.h"

namespace waybill::graph {

// Those of the dense tensor, of the one element of a splat, or those that its rows are made of.
// None where they were let go or there are none. They are borrowed from the constant. Thread-safe.
// How rows are made of them is rows()->maker().
std::vector<std::span<const std::byte>> SourcesOf(const Constant& constant);

}  // namespace waybill::graph
