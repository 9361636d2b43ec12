// How Split divides an axis; used by the rule and by kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/status/result.h"

namespace waybill::graph::infer {

// Size of part `i` of `parts` along an axis of `dim` elements: the i-th of `sizes` where given,
// else equal parts, of which the last may be smaller when `uneven`.
// Errors: kInvalidArgument when the sizes do not add up to `dim`, or `dim` does not divide.
Result<int64_t> SplitPart(int64_t dim, size_t parts, std::optional<std::span<const int64_t>> sizes,
                          bool uneven, size_t i);

}  // namespace waybill::graph::infer
