#include "cpu/move/pad_pieces.h"

#include <algorithm>

namespace waybill::cpu {
namespace {

// One period of a repeated axis: the axis itself and, reflected, its inside backwards.
struct Period {
  int64_t length;
  std::vector<PadPiece> pieces;  // dst counts from the period's begin
};

Period MakePeriod(PadMode mode, int64_t dim) {
  if (mode == PadMode::kWrap || dim <= 2) return {dim, {{0, dim, 0, 1}}};
  return {2 * (dim - 1), {{0, dim, 0, 1}, {dim, dim - 2, dim - 2, -1}}};
}

// The pieces of the period that begins at `start`, cut to [first, last).
void AddCut(const Period& period, int64_t start, int64_t first, int64_t last, int64_t repeats,
            std::vector<PadPiece>& out) {
  for (PadPiece piece : period.pieces) {
    piece.dst += start;
    const int64_t skipped = std::max<int64_t>(first - piece.dst, 0);
    const int64_t end = std::min(piece.dst + piece.count, last);
    piece.dst += skipped;
    piece.src += skipped * piece.step;
    piece.count = end - piece.dst;
    piece.repeats = repeats;
    piece.period = period.length;
    if (piece.count > 0) out.push_back(piece);
  }
}

}  // namespace

std::vector<PadPiece> PadPieces(PadMode mode, int64_t before, int64_t dim, int64_t after) {
  std::vector<PadPiece> pieces;
  if (mode == PadMode::kEdge || (mode == PadMode::kReflect && dim == 1)) {
    if (before > 0) pieces.push_back({0, before, 0, 0});
    pieces.push_back({before, dim, 0, 1});
    if (after > 0) pieces.push_back({before + dim, after, dim - 1, 0});
    return pieces;
  }
  const Period period = MakePeriod(mode, dim);
  const int64_t size = before + dim + after;
  // Where the first period that begins inside begins.
  const int64_t phase = before % period.length;
  const int64_t whole = (size - phase) / period.length;
  if (phase > 0) AddCut(period, phase - period.length, 0, std::min(phase, size), 1, pieces);
  if (whole > 0) AddCut(period, phase, phase, phase + period.length, whole, pieces);
  const int64_t rest = phase + whole * period.length;
  if (rest < size) AddCut(period, rest, rest, size, 1, pieces);
  return pieces;
}

}  // namespace waybill::cpu
