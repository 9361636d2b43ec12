// The constants of a program while it is built: who still reads them, and where they end up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status/result.h"
#include "exec/program/program.h"
#include "graph/ir/graph.h"

namespace waybill::exec {

// Below, a constant is not worth being looked for, shared or let go.
inline constexpr size_t kLargeConstantBytes = 4096;

// Not of strings, dense and of that size, or rows.
bool IsLarge(const graph::Constant& constant);

// Whether it has to be written out for runs: a splat, rows, or not aligned for its type.
bool IsWrittenOut(const graph::Constant& constant);

// A copy of the graph whose kernels' large constants are undefined.
graph::Graph WithoutLargeConstants(const graph::Graph& graph);

// A constant of the graph whose bytes nobody reads: its pages may leave memory.
void LetGo(const graph::Graph& graph, graph::ValueId value, const BuildOptions& options);

// The constant as tensors of runs are: dense and aligned, at its own place where that is possible.
// What is copied or was made while loading is shared through options.weights. `copied` is added to.
// Errors: kOutOfMemory; kCancelled in a wait for another program that makes the same.
Result<Tensor> PlaceConstant(const graph::Graph& graph, graph::ValueId value,
                             const BuildOptions& options, size_t& copied_bytes);

// Counts the kernels that have yet to look at each constant, by slot. Thread-safe.
class ConstantUses {
 public:
  explicit ConstantUses(size_t slots) : uses_(new Use[slots]) {}

  // Before the first Done: one more kernel will look at it.
  void Add(size_t slot) { uses_[slot].unprepared.fetch_add(1, std::memory_order_relaxed); }
  // Somebody will read the bytes in runs.
  void Keep(size_t slot) { uses_[slot].kept.store(true, std::memory_order_relaxed); }
  bool kept(size_t slot) const { return uses_[slot].kept.load(std::memory_order_relaxed); }
  // A kernel has looked at it, after its Keep where it needs one. True when nobody needs the bytes
  // from here on.
  bool Done(size_t slot) {
    return uses_[slot].unprepared.fetch_sub(1, std::memory_order_acq_rel) == 1 && !kept(slot);
  }

 private:
  struct Use {
    std::atomic<uint32_t> unprepared{0};
    std::atomic<bool> kept{false};
  };
  std::unique_ptr<Use[]> uses_;
};

}  // namespace waybill::exec
