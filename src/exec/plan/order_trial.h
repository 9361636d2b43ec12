// A program as a problem of orders of its steps, for one set of input shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status/result.h"
#include "exec/plan/planner.h"
#include "memory/plan/order.h"

namespace waybill::exec {

// What must be done before each step and what stays where it is, as far as that is known without
// shapes.
plan::OrderProblem OrderNeeds(const Program& program);

class Planner;

// A program laid out, as MakePlan does, but with nothing placed. Program and options are borrowed.
class OrderTrial {
 public:
  // Errors: as MakePlan.
  static Result<OrderTrial> Make(const Program& program, std::span<const Slot> slots,
                                 const PlanOptions& options);
  OrderTrial(OrderTrial&&) noexcept;
  OrderTrial& operator=(OrderTrial&&) noexcept;
  ~OrderTrial();

  // Of the plan in the order that the steps have.
  size_t bound_bytes() const { return bound_bytes_; }
  // `needs` are those of the program, and the problem is about its steps. A storage of it is what
  // shares bytes whatever the order: values with their views, parts and pieces. Steps that draw
  // random numbers stay in their order; those that a run sizes, and control flow, stay where they
  // are.
  plan::OrderProblem Describe(plan::OrderProblem needs) const;
  // The program's steps have been put in that order: arranges what they asked for anew, without
  // asking them again. Errors: those of the planner.
  Status Follow(std::span<const uint32_t> order);

 private:
  OrderTrial(const Program& program, std::unique_ptr<Planner> planner);

  const Program* program_;
  std::unique_ptr<Planner> planner_;
  size_t bound_bytes_ = 0;
};

}  // namespace waybill::exec
