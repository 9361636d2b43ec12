// A checked planning problem in the form the placers work on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "memory/plan/lifetime.h"

namespace waybill::plan {

// One buffer with bytes. Steps are renumbered so that only those where a buffer begins are left:
// two buffers meet in the new numbers exactly when they met in the old ones.
struct Item {
  uint32_t index = 0;  // in the caller's span
  uint32_t first = 0;
  uint32_t last = 0;
  size_t bytes = 0;  // rounded up to `align`, > 0
  size_t align = 1;
};

struct Problem {
  size_t lifetime_count = 0;       // buffers without bytes included
  std::vector<Item> items;         // in the caller's order
  std::vector<size_t> step_bytes;  // bytes alive per renumbered step
  size_t bound = 0;                // the largest of step_bytes
  size_t total_bytes = 0;          // sum of all items

  bool Meet(const Item& a, const Item& b) const { return a.first <= b.last && b.first <= a.last; }
};

// Errors: kInvalidArgument as LowerBound.
Result<Problem> MakeProblem(std::span<const Lifetime> lives);

// Offsets per item as offsets per lifetime, those without bytes at 0.
Placement MakePlacement(const Problem& problem, const std::vector<size_t>& offsets, size_t slab);

// Puts every item above the one before it: offsets per item, and the size of the slab.
size_t Stack(const Problem& problem, std::vector<size_t>& offsets);

// Fills in step_bytes, bound and total_bytes from the items, whose steps are below `step_count`.
void SumSteps(Problem& problem, size_t step_count);

// Who meets whom: neighbours of item i are list[begin[i]] .. list[begin[i + 1]].
struct Conflicts {
  std::vector<size_t> begin;
  std::vector<uint32_t> list;

  std::span<const uint32_t> of(uint32_t item) const {
    return std::span(list).subspan(begin[item], begin[item + 1] - begin[item]);
  }
};

// Number of pairs that meet, counted up to `limit`.
size_t CountConflicts(const Problem& problem, size_t limit);
Conflicts FindConflicts(const Problem& problem);

}  // namespace waybill::plan
