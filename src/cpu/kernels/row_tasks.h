// Rows over threads.
#pragma once

#include <cstddef>

#include "kernel/api/run_context.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {

// Calls fn(first_row, last_row) on ranges that cover `rows` rows of `elems_per_row`, on as many
// threads as `ns_per_elem` makes worth while.
template <typename Fn>
void ForRows(const kernel::RunContext& ctx, size_t rows, size_t elems_per_row, double ns_per_elem,
             const Fn& fn) {
  ParallelFor(ctx.pool(), rows, ThreadsFor(rows * elems_per_row, ns_per_elem, ctx.width()), fn);
}

}  // namespace waybill::cpu
