#include "cpu/kernels/quant/swap_layout.h"

#include "cpu/move/move_table.h"

namespace waybill::cpu {

void TransposeMatrices(const void* in, size_t count, size_t rows, size_t columns, size_t elem_bytes,
                       void* out) {
  const MoveTable& move = MoveFunctions(BestTarget());
  const TransposeFn transpose = move.transpose[elem_bytes == 1 ? 0 : 2];
  const size_t bytes = rows * columns * elem_bytes;
  const auto* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(out);
  for (size_t i = 0; i < count; ++i, from += bytes, to += bytes) {
    transpose(to, static_cast<ptrdiff_t>(rows * elem_bytes), from,
              static_cast<ptrdiff_t>(columns * elem_bytes), rows, columns);
  }
}

}  // namespace waybill::cpu
