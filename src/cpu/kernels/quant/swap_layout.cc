#include "cpu/kernels/quant/swap_layout.h"

#include <algorithm>
#include <cstdint>

namespace waybill::cpu {
namespace {

template <typename T>
void Transpose(const T* in, size_t rows, size_t columns, T* out) {
  constexpr size_t kBlock = 32;
  for (size_t r0 = 0; r0 < rows; r0 += kBlock) {
    const size_t r1 = std::min(r0 + kBlock, rows);
    for (size_t c0 = 0; c0 < columns; c0 += kBlock) {
      const size_t c1 = std::min(c0 + kBlock, columns);
      for (size_t c = c0; c < c1; ++c) {
        for (size_t r = r0; r < r1; ++r) out[c * rows + r] = in[r * columns + c];
      }
    }
  }
}

template <typename T>
void TransposeAll(const void* in, size_t count, size_t rows, size_t columns, void* out) {
  const size_t elems = rows * columns;
  for (size_t i = 0; i < count; ++i) {
    Transpose(static_cast<const T*>(in) + i * elems, rows, columns,
              static_cast<T*>(out) + i * elems);
  }
}

}  // namespace

void TransposeMatrices(const void* in, size_t count, size_t rows, size_t columns, size_t elem_bytes,
                       void* out) {
  if (elem_bytes == 1) {
    TransposeAll<uint8_t>(in, count, rows, columns, out);
  } else {
    TransposeAll<uint32_t>(in, count, rows, columns, out);
  }
}

}  // namespace waybill::cpu
