// Orders of one cell. For order.h alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/plan/order_cell.h"

namespace waybill::plan {

// What a beam keeps first.
enum class BeamRank : uint8_t {
  kPeak,  // what has needed least so far
  kLive,  // what has least alive now
};

struct BeamSettings {
  size_t width = 32;
  BeamRank rank = BeamRank::kPeak;
  // Only orders that need less than `below` are looked for, and all that need no more than `enough`
  // are equally good.
  size_t below = 0, enough = 0;
};

struct BeamAnswer {
  std::optional<std::vector<uint32_t>> order;
  bool complete = true;   // nothing was left out for the width or for the work
  bool too_long = false;  // it was given up: far too much work was to come
};

// Goes through the sets of steps that may have been done, by their number, and keeps the best
// `width` of each number. A step that needs no more than was needed already and leaves no more
// alive than there is is done at once. Ends when `work_left` is used up, and when an eighth of it
// has led to less than a sixteenth of the steps.
BeamAnswer SearchBeam(const OrderCell& cell, const BeamSettings& settings, uint64_t& work_left);

// Depth first from the last steps back: of what a step needs, that comes first which needs most
// beyond what it leaves (Liu's rule, which is best on trees).
std::vector<uint32_t> DepthFirstOrder(const OrderCell& cell);

}  // namespace waybill::plan
