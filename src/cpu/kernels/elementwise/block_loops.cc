#include "cpu/kernels/elementwise/block_loops.h"

#include <algorithm>

#include "base/math/checked.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Fewer elements are not worth a piece.
constexpr size_t kMinPieceElems = 2048;
constexpr size_t kPiecesPerThread = 4;
constexpr size_t kColumnStep = 64;

// Stride of `shape` along the axis that is `from_last` axes before the end; 0 where it repeats.
size_t StrideFromLast(const Shape& shape, size_t from_last) {
  if (from_last >= shape.rank()) return 0;
  const size_t axis = shape.rank() - 1 - from_last;
  return shape[axis] == 1 ? 0 : static_cast<size_t>(shape.Stride(axis));
}

bool Continues(const BlockAxis& inner, const BlockAxis& outer, size_t operands) {
  for (size_t k = 0; k < operands; ++k) {
    if (outer.strides[k] != inner.strides[k] * inner.dim) return false;
  }
  return true;
}

}  // namespace

BlockLoops MakeBlockLoops(std::span<const Shape> operands, const Shape& out) {
  BlockLoops loops;
  loops.operands = operands.size();
  std::vector<BlockAxis> axes;  // innermost first
  for (size_t i = 0; i < out.rank(); ++i) {
    BlockAxis axis;
    axis.dim = static_cast<size_t>(out[out.rank() - 1 - i]);
    if (axis.dim == 1) continue;
    for (size_t k = 0; k < operands.size(); ++k) axis.strides[k] = StrideFromLast(operands[k], i);
    if (!axes.empty() && Continues(axes.back(), axis, operands.size())) {
      axes.back().dim *= axis.dim;
    } else {
      axes.push_back(axis);
    }
  }
  if (!axes.empty()) loops.columns = axes[0];
  if (axes.size() > 1) loops.rows = axes[1];
  for (size_t i = axes.size(); i > 2; --i) {
    loops.outer.push_back(axes[i - 1]);
    loops.outer_count *= axes[i - 1].dim;
  }
  SplitBlocks(loops, 0, 1);
  return loops;
}

void SplitBlocks(BlockLoops& loops, double ns_per_elem, size_t width) {
  const size_t rows = loops.rows.dim, columns = loops.columns.dim;
  const size_t elems = loops.outer_count * rows * columns;
  loops.threads = ThreadsFor(elems, ns_per_elem, width);
  loops.piece_rows = std::max<size_t>(rows, 1);
  loops.piece_columns = std::max<size_t>(columns, 1);
  if (loops.threads > 1) {
    const size_t target = std::max(kMinPieceElems, elems / (loops.threads * kPiecesPerThread));
    loops.piece_columns = std::min(columns, CeilDiv(target, kColumnStep) * kColumnStep);
    loops.piece_rows = std::clamp<size_t>(target / loops.piece_columns, 1, rows);
  }
  loops.tasks = elems == 0 ? 0
                           : loops.outer_count * CeilDiv(rows, loops.piece_rows) *
                                 CeilDiv(columns, loops.piece_columns);
}

BlockPiece PieceAt(const BlockLoops& loops, size_t task) {
  const size_t across = CeilDiv(loops.columns.dim, loops.piece_columns);
  const size_t down = CeilDiv(loops.rows.dim, loops.piece_rows);
  const size_t column = task % across * loops.piece_columns;
  const size_t row = task / across % down * loops.piece_rows;
  size_t index = task / across / down;
  BlockPiece piece;
  piece.rows = std::min(loops.piece_rows, loops.rows.dim - row);
  piece.columns = std::min(loops.piece_columns, loops.columns.dim - column);
  piece.out = (index * loops.rows.dim + row) * loops.columns.dim + column;
  for (size_t k = 0; k < loops.operands; ++k) {
    piece.offsets[k] = row * loops.rows.strides[k] + column * loops.columns.strides[k];
  }
  for (size_t i = loops.outer.size(); i > 0; --i) {
    const BlockAxis& axis = loops.outer[i - 1];
    const size_t position = index % axis.dim;
    index /= axis.dim;
    for (size_t k = 0; k < loops.operands; ++k) piece.offsets[k] += position * axis.strides[k];
  }
  return piece;
}

}  // namespace waybill::cpu
