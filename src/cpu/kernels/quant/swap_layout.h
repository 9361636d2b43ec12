// Channels first to channels last and back, for kernels that want the other order.
#pragma once

#include <cstddef>

namespace waybill::cpu {

// For each of `count` matrices: out[c][r] = in[r][c], of elements of 1 or 4 bytes.
void TransposeMatrices(const void* in, size_t count, size_t rows, size_t columns, size_t elem_bytes,
                       void* out);

}  // namespace waybill::cpu
