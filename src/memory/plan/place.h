// The planner that takes its time: everything it knows, within limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/status/result.h"
#include "memory/plan/lifetime.h"

namespace waybill::plan {

// How far PlaceBest had to go for its answer.
enum class Stage : uint8_t { kPortfolio, kLocalMoves, kSearch };
std::string_view StageName(Stage stage);

// A slab of at most 1.02 x the bound is good enough: nothing smaller is looked for.
constexpr size_t EnoughBytes(size_t bound_bytes) { return bound_bytes + bound_bytes / 50; }

struct SearchLimits {
  // Elementary steps that the search may take, about 50 ms of them. Counted, not timed, so that a
  // plan is the same on every machine and under every load.
  uint64_t work = uint64_t{16} << 20;
  // Ends the search at this time as well. For tools: the plan then depends on the machine.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  // The search is for slabs above this and ends at it. 0: at EnoughBytes. The bound itself is tried
  // first in any case.
  size_t enough_bytes = 0;
};

struct BestPlacement : Placement {
  size_t bound_bytes = 0;
  Stage stage = Stage::kPortfolio;  // where the offsets come from
  bool optimal = false;             // no placement is smaller
  uint64_t search_work = 0;         // elementary steps that the search took
};

// The greedy portfolio, local moves and, where they leave more than `enough_bytes`, a search for
// placements within a capacity: first the bound, then capacities upwards from there by halves. The
// best plan found so far is the answer whenever a limit ends it; it is never worse than
// PlaceGreedy's. Deterministic without a deadline. Errors as LowerBound.
Result<BestPlacement> PlaceBest(std::span<const Lifetime> lives, const SearchLimits& limits = {});

}  // namespace waybill::plan
