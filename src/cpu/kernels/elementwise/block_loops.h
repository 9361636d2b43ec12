// Operands that broadcast to one output, as few loops as possible: blocks of rows and columns
// inside, further axes outside, cut into pieces for threads.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tensor/shape/shape.h"

namespace waybill::cpu {

inline constexpr size_t kMaxBlockOperands = 16;

// One number per operand.
using PerOperand = std::array<size_t, kMaxBlockOperands>;

struct BlockAxis {
  size_t dim = 1;
  PerOperand strides = {};  // in elements; 0 where the operand repeats
};

// The output is dense: a row follows the one before.
struct BlockLoops {
  size_t operands = 0;
  BlockAxis columns, rows;
  std::vector<BlockAxis> outer;  // slowest first
  size_t outer_count = 1;
  // Pieces: at most so many rows and columns each; `tasks` of them on `threads` threads.
  size_t piece_rows = 1, piece_columns = 1;
  size_t tasks = 0;
  size_t threads = 1;
};

// At most kMaxBlockOperands shapes, all of which broadcast to `out`.
BlockLoops MakeBlockLoops(std::span<const Shape> operands, const Shape& out);

// Sets pieces and threads by the time that one element takes; `width` threads are there.
void SplitBlocks(BlockLoops& loops, double ns_per_elem, size_t width);

struct BlockPiece {
  size_t rows = 0, columns = 0;
  size_t out = 0;           // elements before the piece in the output
  PerOperand offsets = {};  // the same in each operand
};

// Piece `task` of loops.tasks.
BlockPiece PieceAt(const BlockLoops& loops, size_t task);

}  // namespace waybill::cpu
