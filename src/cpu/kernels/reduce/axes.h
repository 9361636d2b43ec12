// The input of a reduction as alternating groups of kept and reduced dimensions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "tensor/shape/shape.h"

namespace waybill::cpu {

struct ReduceAxis {
  size_t dim = 1;
  size_t stride = 1;  // elements
};

// The innermost group is apart from the others: it is walked by vectors.
struct ReduceAxes {
  std::vector<ReduceAxis> kept;     // slowest first
  std::vector<ReduceAxis> reduced;  // slowest first
  size_t kept_count = 1, reduced_count = 1;
  size_t inner = 1;
  bool inner_is_reduced = false;
  // When the innermost group is kept, the group before it.
  ReduceAxis rows;
};

// No axes: all are reduced. Errors: kInvalidArgument for an axis out of range.
Result<ReduceAxes> MakeReduceAxes(const Shape& shape, std::span<const int64_t> axes);
// Every element on its own.
ReduceAxes NothingReduced(const Shape& shape);

// Where combination `index` of `axes` begins.
size_t OffsetOf(std::span<const ReduceAxis> axes, size_t index);

}  // namespace waybill::cpu
