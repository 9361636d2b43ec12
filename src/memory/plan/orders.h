// The orders in which the greedy placer puts buffers down.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/plan/problem.h"

namespace waybill::plan {

// From the one that does best alone to the odd ones that win now and then.
enum class Order : uint8_t {
  kSize,           // large first
  kContention,     // those alive at the fullest step first, large first among them
  kStepBreadth,    // step by step, fullest first; at each its own buffers, large first
  kArea,           // size times lifetime
  kLifetime,       // long-lived first
  kFirstStep,      // as the program writes them
  kLastStep,       // as the program forgets them
  kFirstStepBack,  // the program backwards
  kLastStepBack,
  kNeighbours,      // those that meet the most bytes first
  kContentionLife,  // as kContention, long-lived first
  kSizeLate,        // large first, later ones first among equals
  kDensity,         // size over lifetime
  kFromPeak,        // outwards in time from the fullest step
  kContentionArea,  // as kContention, large areas first; for the search alone
};
// How many of them, from the first on, the greedy placer tries.
inline constexpr int kOrderCount = 14;

// A permutation of the item numbers. Deterministic; O(n log n) but for the steps an item spans.
std::vector<uint32_t> MakeOrder(const Problem& problem, Order order);

}  // namespace waybill::plan
