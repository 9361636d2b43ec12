// N-dimensional positions, counted in row-major order, and the copy between strided boxes that
// Transpose, Slice, Expand, Split, Concat and Pad are made of. Nothing here allocates up to
// Shape::kInlineRank dimensions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/shape/shape.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// A position in a box without empty dimensions; starts at the origin.
//   if (box.elems() != 0) { NdCounter at(box); do { use at[0], at[1] } while (at.Next()); }
class NdCounter {
 public:
  explicit NdCounter(const Shape& box) : box_(box), at_(Shape::Filled(box.rank(), 0)) {}

  int64_t operator[](size_t axis) const { return at_[axis]; }
  // Steps to the next position, the last axis fastest; false (and back at the origin) at the end.
  bool Next() {
    for (size_t axis = box_.rank(); axis-- > 0;) {
      if (++at_[axis] < box_[axis]) return true;
      at_[axis] = 0;
    }
    return false;
  }
  // Sum of position * stride over all axes.
  int64_t Offset(const Shape& strides) const {
    int64_t offset = 0;
    for (size_t axis = 0; axis < box_.rank(); ++axis) offset += at_[axis] * strides[axis];
    return offset;
  }

 private:
  Shape box_;
  Shape at_;
};

// Row-major strides in elements, one per dimension.
Shape RowMajorStrides(const Shape& shape);

// One side of a strided copy: the element at position p is first + sum(p[i] * strides[i]).
struct StridedSide {
  const TensorView& tensor;
  int64_t first = 0;
  const Shape& strides;
};

// Copies the elements of `box` from one side to the other. Every position lies inside its tensor.
void CopyBox(const Shape& box, const StridedSide& dst, const StridedSide& src);

}  // namespace waybill::kernel::reference
