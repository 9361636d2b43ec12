// Looks for an order of steps in which less is alive at once. It knows no graph: steps, what each
// must come after, and the storages that they touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status/result.h"

namespace waybill::plan {

// Bytes that are in memory from the first step that touches them to the last.
struct OrderStorage {
  size_t bytes = 0;
  bool kept = false;  // to the end of the order
};

struct OrderStep {
  // The storage `made`, which this step touches first, takes over the bytes of `taken`, which no
  // later step touches. The first pair of a step for which that comes true and whose storages are
  // equally large counts once while the step runs.
  struct InPlace {
    uint32_t made = 0, taken = 0;
  };

  std::vector<uint32_t> after;    // steps with lower numbers that must be done before
  std::vector<uint32_t> touches;  // storages that it reads or writes, each once
  std::vector<InPlace> in_place;
  size_t scratch_bytes = 0;  // while the step runs
  bool fixed = false;        // stays behind all steps before it, and before all behind it
};

// Steps are numbered in the order that is given, which is a possible one.
struct OrderProblem {
  std::vector<OrderStep> steps;
  std::vector<OrderStorage> storages;
};

struct OrderLimits {
  // Elementary steps that the search may take, a few milliseconds of them. Counted, not
  // timed, so that the order of a problem is the same on every machine and under every load.
  uint64_t work = uint64_t{1} << 18;
};

// Of every order whose peak is not lower by this much the given one is as good.
inline constexpr size_t kLeastGainPercent = 3;

struct FoundOrder {
  std::vector<uint32_t> order;  // of the problem's steps; the given one where nothing is gained
  size_t given_bytes = 0;       // the most that is alive at once in the given order
  size_t bytes = 0;             // and in this one
  size_t floor_bytes = 0;       // no order needs less
  uint64_t work = 0;            // elementary steps that the search took

  bool changed() const { return bytes < given_bytes; }
};

// Whether some two steps may change their places. Sizes are not looked at.
bool HasOtherOrders(const OrderProblem& problem);

// The most that is alive at a step when the steps are done in that order.
size_t PeakBytes(const OrderProblem& problem, std::span<const uint32_t> order);

// Stretches of steps between those that all others come before or behind are ordered one by one,
// the fullest first, by the better of a depth-first order and beam searches; stretches that do not
// decide the peak stay as they are. Deterministic. The beam searches are limited; the depth-first
// order takes, for each step, as long as its storages have users.
// Errors: kInvalidArgument when a number is out of range, a step comes before what it must come
// after, or the sizes overflow.
Result<FoundOrder> FindOrder(const OrderProblem& problem, const OrderLimits& limits = {});

}  // namespace waybill::plan
