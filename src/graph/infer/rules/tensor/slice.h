// The arithmetic of Slice, used by the rule and by kernels. No heap memory up to rank 8.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/status/result.h"
#include "tensor/shape/shape.h"

namespace waybill::graph::infer {

// Per axis: the slice asked for; axes that are not named have start 0, end INT64_MAX, step 1.
struct SliceSpec {
  Shape start, end, step;
};

// Spreads the lists over the axes. Without `axes` they are the first ones; without `steps` 1.
// Errors: kInvalidArgument for lists of different lengths, an axis out of range or named twice, a
// step of 0.
Result<SliceSpec> SpreadSlice(size_t rank, std::span<const int64_t> starts,
                              std::span<const int64_t> ends,
                              std::optional<std::span<const int64_t>> axes,
                              std::optional<std::span<const int64_t>> steps);

struct SliceRange {
  int64_t first = 0;  // in [0, dim] ([0, dim) when count > 0)
  int64_t count = 0;
};

// Clamps one axis as Python does; `step` is not 0.
SliceRange ClampSlice(int64_t start, int64_t end, int64_t step, int64_t dim);

}  // namespace waybill::graph::infer
