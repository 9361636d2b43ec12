// What the planner sees of a program: who is alive when, and how big. It knows no graph, no type
// and no device, so it can be fed anybody's instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/status/result.h"

namespace waybill::plan {

// One buffer that must be in memory during the closed interval [first_step, last_step].
struct Lifetime {
  uint32_t id = 0;          // position in the caller's own table; unique within a problem
  uint32_t first_step = 0;  // step that writes it first
  uint32_t last_step = 0;   // last step that reads it; >= first_step
  size_t bytes = 0;         // 0 is legal and overlaps nothing
  size_t align = 64;        // power of two; the slab itself is aligned to the largest
};

// Where each lifetime was put. offsets[i] belongs to lives[i] of the problem it was made from.
struct Placement {
  std::vector<size_t> offsets;
  size_t slab_bytes = 0;  // max of offset + bytes rounded up to the alignment
};

// Largest sum, over all steps, of the sizes (each rounded up to its alignment) alive at that step:
// no placement can need less. Errors: kInvalidArgument on a broken lifetime (last before first,
// alignment no power of two, id used twice) or when all sizes together overflow.
Result<size_t> LowerBound(std::span<const Lifetime> lives);

// Every buffer at its own offset: what a run would take without reuse. Errors as LowerBound.
Result<Placement> PlaceWithoutReuse(std::span<const Lifetime> lives);

// The best of a portfolio of greedy placements (several orders, first and best fit), stopping as
// soon as one meets the bound. Deterministic. Errors as LowerBound.
Result<Placement> PlaceGreedy(std::span<const Lifetime> lives);

// Independent proof that a placement is right: aligned, inside the slab, and no two buffers that
// are alive at the same step share a byte. Shares no code with the placers.
// Errors: kInternal naming the two buffers, their steps and their ranges.
Status Verify(std::span<const Lifetime> lives, const Placement& placement);

}  // namespace waybill::plan
