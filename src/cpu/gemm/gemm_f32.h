// f32 matrix product with a B that is packed beforehand, on plain pointers.
#pragma once

#include <cstddef>

#include "cpu/gemm/tile.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::cpu {

// Where the parts of a packed B[k x n] lie: blocks of up to kBlockK rows, in each block panels of
// `nr` columns (the last narrower, whole vectors), each panel row by row.
class PackedLayout {
 public:
  static constexpr size_t kBlockK = 512;

  PackedLayout() = default;
  PackedLayout(const GemmF32Table& table, size_t k, size_t n)
      : k_(k), n_(n), nr_(table.nr), padded_n_((n + table.lanes - 1) / table.lanes * table.lanes) {}

  size_t k() const { return k_; }
  size_t n() const { return n_; }
  size_t panels() const { return (n_ + nr_ - 1) / nr_; }
  size_t nr() const { return nr_; }
  // Floats that the packed form takes; the caller has checked that k * n floats fit in memory.
  size_t floats() const { return k_ * padded_n_; }
  // Columns of a panel, the zero ones included.
  size_t PanelWidth(size_t panel) const {
    const size_t rest = padded_n_ - panel * nr_;
    return rest < nr_ ? rest : nr_;
  }
  size_t PanelColumns(size_t panel) const {
    const size_t rest = n_ - panel * nr_;
    return rest < nr_ ? rest : nr_;
  }
  // Where the panel's rows [k0, k0 + block_k) begin; k0 is a multiple of kBlockK.
  size_t Offset(size_t k0, size_t block_k, size_t panel) const {
    return k0 * padded_n_ + panel * nr_ * block_k;
  }

 private:
  size_t k_ = 0;
  size_t n_ = 0;
  size_t nr_ = 1;
  size_t padded_n_ = 0;
};

// Packs B, whose element (row, column) is the float at byte 4 * (row * row_stride + column *
// column_stride) from `b`, of any alignment. `out` has layout.floats() floats, 64-byte aligned.
void PackB(const PackedLayout& layout, const void* b, size_t row_stride, size_t column_stride,
           float* out);

struct GemmArgs {
  const float* a = nullptr;  // [m][lda]
  size_t lda = 0;
  size_t m = 0;
  const float* packed_b = nullptr;
  float* c = nullptr;  // [m][ldc]
  size_t ldc = 0;
  const float* column_bias = nullptr;  // [n] or null
  bool relu = false;
};

// C = A * B + bias. Work is split over parts of C; results are bit-equal for every width.
void RunGemm(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
             ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
