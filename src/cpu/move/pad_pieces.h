// How a padded axis is put together from pieces of the axis, for the modes that repeat elements.
#pragma once

#include <cstdint>
#include <vector>

namespace waybill::cpu {

enum class PadMode : uint8_t { kConstant, kReflect, kEdge, kWrap };

// Elements dst .. dst + count - 1 are src, src + step, ...; the whole piece comes `repeats` times,
// `period` apart in the output.
struct PadPiece {
  int64_t dst = 0;  // counted from the first element of the output
  int64_t count = 0;
  int64_t src = 0;
  int64_t step = 1;  // 1, 0 or -1
  int64_t repeats = 1;
  int64_t period = 0;
};

// `before` and `after` >= 0 elements around `dim` > 0; `mode` is not kConstant. At most 6 pieces,
// whatever the sizes; none is empty; they cover the output once.
std::vector<PadPiece> PadPieces(PadMode mode, int64_t before, int64_t dim, int64_t after);

}  // namespace waybill::cpu
