// A program as a problem of orders of its steps, for one set of input shapes.
#pragma once

#include <cstddef>
#include <span>

#include "base/status/result.h"
#include "exec/plan/planner.h"
#include "memory/plan/order.h"

namespace waybill::exec {

// What must be done before each step and what stays where it is, as far as that is known without
// shapes.
plan::OrderProblem OrderNeeds(const Program& program);

struct OrderTrial {
  plan::OrderProblem problem;  // its steps are the program's
  size_t bound_bytes = 0;      // of the plan in the present order
};

// Lays the program out, as MakePlan does, but places nothing. A storage of the problem is what
// shares bytes whatever the order: values with their views, parts and pieces. Steps that draw
// random numbers stay in their order; those that a run sizes, and control flow, stay where they
// are. Errors: as MakePlan.
Result<OrderTrial> TryOrder(const Program& program, std::span<const Slot> slots,
                            const PlanOptions& options);

}  // namespace waybill::exec
