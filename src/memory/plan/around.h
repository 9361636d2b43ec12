// Placing into a slab of which others have parts already.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/status/result.h"
#include "memory/plan/lifetime.h"

namespace waybill::plan {

// Places `lives` beside `fixed`, which lie at `fixed_offsets` for their own lifetimes, in a slab of
// `capacity` bytes. The slab size of the answer is where the last of `lives` ends. Nothing when no
// greedy order fits. Ids need not differ between the two. Deterministic. Errors as LowerBound.
Result<std::optional<Placement>> PlaceAround(std::span<const Lifetime> lives,
                                             std::span<const Lifetime> fixed,
                                             std::span<const size_t> fixed_offsets,
                                             size_t capacity);

}  // namespace waybill::plan
