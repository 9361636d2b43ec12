// Plans of the same program with reuse of memory, poisoned, and without reuse, held against each
// other.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "exec/plan/plan.h"
#include "exec/testing/sample.h"

namespace waybill::exec::testing {

// The figures of the plan, and that its bytes without reuse are those that a program which reuses
// nothing leases. Outputs are the same bits however it is planned.
inline PlanFigures FiguresOf(Builder& b, const std::vector<Value>& inputs) {
  PlanFigures figures;
  std::vector<std::vector<float>> first;
  for (const PlanRules& rules :
       {PlanRules{}, PlanRules{.poison_freed = true}, PlanRules{.reuse = false}}) {
    Fixture f(b.graph(), 16, rules);
    EXPECT_TRUE(f.status.ok()) << f.status.ToString();
    std::vector<Value> out;
    const Status status = f.Run(inputs, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok()) return figures;
    std::vector<std::vector<float>> outputs;
    for (const Value& value : out) outputs.push_back(AsFloats(value));
    if (first.empty()) first = outputs;
    EXPECT_EQ(outputs, first);
    const auto plan = f.program->plans().Latest();
    EXPECT_FALSE(plan->has_dynamic);
    if (rules.reuse) {
      figures = plan->figures;
      continue;
    }
    EXPECT_EQ(figures.no_reuse_bytes, plan->figures.slab_bytes);
    EXPECT_EQ(plan->figures.no_reuse_bytes, plan->figures.slab_bytes);
    EXPECT_EQ(figures.requests, plan->figures.requests);
    EXPECT_EQ(figures.planned_values, plan->figures.planned_values);
  }
  EXPECT_LE(figures.bound_bytes, figures.slab_bytes);
  EXPECT_LE(figures.slab_bytes, figures.no_reuse_bytes);
  EXPECT_LE(figures.fresh_requests, figures.requests);
  return figures;
}

}  // namespace waybill::exec::testing
