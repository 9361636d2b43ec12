// What is alive along an order of steps. For order.h alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/plan/order.h"

namespace waybill::plan {

struct LiveBytes {
  size_t during = 0;  // a step
  size_t after = 0;
};

// One for each step, in that order.
std::vector<LiveBytes> WalkOrder(const OrderProblem& problem, std::span<const uint32_t> order);

}  // namespace waybill::plan
