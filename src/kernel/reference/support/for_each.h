// Splits independent pieces of a kernel's output over the threads of a run.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernel/api/run_context.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::kernel::reference {

// Calls fn(index, worker) once for every index below `count`; worker is below max(1, ctx.width()),
// and two calls with equal worker never run at the same time. Each index must write its own
// outputs only.
template <typename Fn>
void ForEachPiece(const RunContext& ctx, size_t count, const Fn& fn) {
  const size_t workers = std::max<size_t>(1, std::min(ctx.width(), count));
  const size_t share = count / workers, rest = count % workers;
  ParallelFor(ctx.pool(), workers, workers, [&](size_t begin, size_t end) {
    for (size_t worker = begin; worker < end; ++worker) {
      const size_t first = worker * share + std::min(worker, rest);
      const size_t last = first + share + (worker < rest ? 1 : 0);
      for (size_t i = first; i < last; ++i) fn(i, worker);
    }
  });
}

}  // namespace waybill::kernel::reference
