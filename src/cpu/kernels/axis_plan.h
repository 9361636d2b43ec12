// A shape seen from one axis, and its lines along the axis over threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/math/checked.h"
#include "cpu/kernels/row_tasks.h"
#include "kernel/api/plan_context.h"
#include "kernel/reference/support/axis_split.h"

namespace waybill::cpu {

// `outer` matrices [size, inner] one behind the other; the axis goes down their columns. Where
// `inner` is 1 they are rows.
struct AxisPlan final : kernel::PlanState {
  explicit AxisPlan(const kernel::reference::AxisSplit& split)
      : outer(static_cast<size_t>(split.outer)),
        size(static_cast<size_t>(split.axis)),
        inner(static_cast<size_t>(split.inner)) {}

  size_t elems() const { return outer * size * inner; }

  size_t outer, size, inner;
};

// Calls fn(matrix, first column, last column) on ranges of at most `columns_per_task` columns that
// cover all columns of all matrices, on as many threads as `ns_per_elem` makes worth while.
template <typename Fn>
void ForColumns(const kernel::RunContext& ctx, const AxisPlan& plan, size_t columns_per_task,
                double ns_per_elem, const Fn& fn) {
  const size_t pieces = CeilDiv(plan.inner, columns_per_task);
  const auto run = [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      const size_t first = task % pieces * columns_per_task;
      fn(task / pieces, first, std::min(plan.inner, first + columns_per_task));
    }
  };
  ParallelFor(ctx.pool(), plan.outer * pieces, ThreadsFor(plan.elems(), ns_per_elem, ctx.width()),
              run);
}

}  // namespace waybill::cpu
