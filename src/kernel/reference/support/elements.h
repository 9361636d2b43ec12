// Moves elements between tensors of one element type, whatever the type: numbers by their width,
// strings as objects, sub-byte types through their packing. Positions and counts are in elements
// and lie inside their tensors (the caller has checked them); source and destination do not
// overlap. Writing the last element of a packed tensor zeroes its padding bits.
#pragma once

#include <cstdint>

#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// dst[dst_first + i] = src[src_first + i] for i in [0, count).
void CopyElements(const TensorView& dst, int64_t dst_first, const TensorView& src,
                  int64_t src_first, int64_t count);

// dst[dst_first + i * dst_step] = src[src_first + i * src_step] for i in [0, count); steps may be
// zero or negative.
void CopyLine(const TensorView& dst, int64_t dst_first, int64_t dst_step, const TensorView& src,
              int64_t src_first, int64_t src_step, int64_t count);

// dst[dst_first + i] = src[src_index] for i in [0, count).
inline void FillElements(const TensorView& dst, int64_t dst_first, int64_t count,
                         const TensorView& src, int64_t src_index) {
  CopyLine(dst, dst_first, 1, src, src_index, 0, count);
}

// dst[dst_first + i] = zero, or the empty string, for i in [0, count).
void ZeroElements(const TensorView& dst, int64_t dst_first, int64_t count);

}  // namespace waybill::kernel::reference
