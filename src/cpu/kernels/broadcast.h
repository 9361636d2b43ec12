// Two broadcast inputs as loops: as few axes as possible, the last one contiguous.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/shape/shape.h"

namespace waybill::cpu {

struct BroadcastAxis {
  size_t dim = 1;
  size_t a_stride = 0;  // elements; 0 where the input is repeated
  size_t b_stride = 0;
};

struct BroadcastLoops {
  std::vector<BroadcastAxis> outer;
  BroadcastAxis inner;  // strides 0 or 1, not both 0
  size_t outer_count = 1;
};

// Both inputs must broadcast to `out`.
BroadcastLoops MakeBroadcastLoops(const Shape& a, const Shape& b, const Shape& out);

struct BroadcastOffsets {
  size_t a = 0;
  size_t b = 0;
};

// Where outer iteration `index` of loops.outer_count begins.
BroadcastOffsets OffsetsAt(const BroadcastLoops& loops, size_t index);

}  // namespace waybill::cpu
