// A shape seen from one axis: outer x axis x inner.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

struct AxisSplit {
  int64_t outer = 1;  // product of the dimensions before the axis
  int64_t axis = 1;   // its length
  int64_t inner = 1;  // product of the dimensions behind it: the stride along the axis

  // `axis` < rank.
  static AxisSplit At(const Shape& shape, size_t axis) {
    return {shape.ElemsBetween(0, axis), shape[axis], shape.ElemsBetween(axis + 1, shape.rank())};
  }
  // All dimensions from `axis` on as one, contiguous; `axis` <= rank.
  static AxisSplit Flattened(const Shape& shape, size_t axis) {
    return {shape.ElemsBetween(0, axis), shape.ElemsBetween(axis, shape.rank()), 1};
  }
  int64_t lines() const { return outer * inner; }
  // Offset of the first element of line `i` in [0, lines()); the next ones are `inner` apart.
  int64_t LineStart(int64_t i) const { return i / inner * axis * inner + i % inner; }
};

}  // namespace waybill::kernel::reference
