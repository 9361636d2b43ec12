// Rows over threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernel/api/run_context.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {

// Calls fn(first_row, last_row) on ranges that cover `rows` rows of `elems_per_row`, on as many
// threads as `ns_per_elem` makes worth while.
template <typename Fn>
void ForRows(const kernel::RunContext& ctx, size_t rows, size_t elems_per_row, double ns_per_elem,
             const Fn& fn) {
  constexpr double kMinNsPerThread = 20000;
  const double ns = static_cast<double>(rows) * static_cast<double>(elems_per_row) * ns_per_elem;
  const size_t threads = std::clamp<size_t>(static_cast<size_t>(ns / kMinNsPerThread), 1,
                                            std::max<size_t>(ctx.width(), 1));
  ParallelFor(ctx.pool(), rows, threads, fn);
}

}  // namespace waybill::cpu
