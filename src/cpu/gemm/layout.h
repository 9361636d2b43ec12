// Where the parts of a packed B lie, and how they get there.
#pragma once

#include <cstddef>

#include "cpu/gemm/tile.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::cpu {

// A packed B[k x n]: blocks of block_k() rows, the last with the rest, in each block panels of `nr`
// columns (the last narrower, whole vectors), each panel row by row.
class PackedLayout {
 public:
  static constexpr size_t kMaxBlockK = 1024;

  PackedLayout() = default;
  PackedLayout(const GemmF32Table& table, size_t k, size_t n)
      : k_(k),
        n_(n),
        nr_(table.nr),
        padded_n_((n + table.lanes - 1) / table.lanes * table.lanes),
        block_k_(BlockK(k)) {}

  size_t k() const { return k_; }
  size_t n() const { return n_; }
  size_t panels() const { return (n_ + nr_ - 1) / nr_; }
  size_t nr() const { return nr_; }
  size_t block_k() const { return block_k_; }
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
  // Where the panel's rows [k0, k0 + block_k) begin; k0 is a multiple of block_k().
  size_t Offset(size_t k0, size_t block_k, size_t panel) const {
    return k0 * padded_n_ + panel * nr_ * block_k;
  }

 private:
  // Equal blocks, of whole cache lines of A.
  static size_t BlockK(size_t k) {
    const size_t blocks = (k + kMaxBlockK - 1) / kMaxBlockK;
    return blocks <= 1 ? kMaxBlockK : ((k + blocks - 1) / blocks + 15) / 16 * 16;
  }

  size_t k_ = 0;
  size_t n_ = 0;
  size_t nr_ = 1;
  size_t padded_n_ = 0;
  size_t block_k_ = kMaxBlockK;
};

// An unpacked B: element (row, column) is number (row - first_row) * row_stride + (column -
// first_column) * column_stride from `data`, which may be misaligned, times `scale`.
struct UnpackedB {
  const void* data = nullptr;
  size_t row_stride = 0;
  size_t column_stride = 0;
  size_t first_row = 0, first_column = 0;  // what `data` begins with, where it is a part of B
  bool half = false;                       // f16, else f32
  float scale = 1;
};

// Packs B into layout.floats() floats, 64-byte aligned.
void PackB(const PackedLayout& layout, const UnpackedB& b, float* out);
// The same over several threads.
void PackB(const PackedLayout& layout, const UnpackedB& b, float* out, ThreadPool* pool,
           size_t width);
// What of the packed form `rows` x `columns` elements from (b.first_row, b.first_column) make,
// which are all that b.data has; b.first_column is a multiple of layout.nr(), and so is `columns`
// unless they end B.
void PackBPart(const PackedLayout& layout, const UnpackedB& b, size_t rows, size_t columns,
               float* out);
// One panel's rows [k0, k0 + rows) alone, as rows of PanelWidth floats.
void PackPanel(const PackedLayout& layout, const UnpackedB& b, size_t panel, size_t k0, size_t rows,
               float* out);

}  // namespace waybill::cpu
