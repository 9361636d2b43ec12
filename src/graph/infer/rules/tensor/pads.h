// The arithmetic of Pad, used by the rule and by kernels. No heap memory up to rank 8.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/status/result.h"
#include "tensor/shape/shape.h"

namespace waybill::graph::infer {

// Elements added before and after each axis; negative: removed.
struct PadAmounts {
  Shape before, after;
};

// Spreads `pads` ([before of each axis..., after of each axis...]) over the axes.
// Errors: kInvalidArgument for a wrong count, an axis out of range or named twice.
Result<PadAmounts> SpreadPads(size_t rank, std::span<const int64_t> pads,
                              std::optional<std::span<const int64_t>> axes);

// dim + before + after. Errors: kInvalidArgument when more is removed than there is, or the sum
// does not fit.
Result<int64_t> PaddedDim(int64_t dim, int64_t before, int64_t after);

}  // namespace waybill::graph::infer
