#include "kernel/reference/support/nd.h"

#include "kernel/reference/support/elements.h"

namespace waybill::kernel::reference {

Shape RowMajorStrides(const Shape& shape) {
  Shape strides = Shape::Filled(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void CopyBox(const Shape& box, const StridedSide& dst, const StridedSide& src) {
  if (box.elems() == 0) return;
  // The last dimensions that are contiguous on both sides are one block.
  int64_t block = 1;
  size_t rank = box.rank();
  while (rank > 0 && (box[rank - 1] == 1 ||
                      (src.strides[rank - 1] == block && dst.strides[rank - 1] == block))) {
    block *= box[--rank];
  }
  // Otherwise the last dimension that is left is copied as a line.
  int64_t line = 1, dst_step = 1, src_step = 1;
  if (block == 1 && rank > 0) {
    --rank;
    line = box[rank];
    dst_step = dst.strides[rank];
    src_step = src.strides[rank];
  }
  NdCounter at(Shape(box.dims().first(rank)));
  do {
    const int64_t to = dst.first + at.Offset(dst.strides);
    const int64_t from = src.first + at.Offset(src.strides);
    if (block > 1) {
      CopyElements(dst.tensor, to, src.tensor, from, block);
    } else {
      CopyLine(dst.tensor, to, dst_step, src.tensor, from, src_step, line);
    }
  } while (at.Next());
}

}  // namespace waybill::kernel::reference
