// MemoryHub: the memory of a process as one object. The Env owns it; there is no global one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "memory/admission/admission.h"
#include "memory/admission/budget.h"
#include "memory/ledger/ledger.h"
#include "memory/source/arena.h"
#include "memory/source/host_source.h"
#include "memory/source/page_source.h"
#include "memory/source/slab_pool.h"

namespace waybill {

// Puts another source before one: a trace, the failures of a test.
using WrapSource = std::function<std::shared_ptr<MemorySource>(std::shared_ptr<MemorySource>)>;

// What bindings hold of the results that runs made for them. Counted by whoever keeps bindings.
struct BoundResults {
  std::atomic<uint64_t> values{0}, bytes{0};
};

// Host memory so far; other devices add their own sources with a page of the same ledger, a budget
// and an admission. The sources outlive the hub for as long as a Buffer of theirs does.
struct MemoryHub {
  // `wrap`, where not empty, is asked once for each source of memory from the operating system, and
  // the hub uses what it returns in its place, within the budget.
  explicit MemoryHub(SlabPoolOptions slab_options = {}, const WrapSource& wrap = {},
                     size_t budget_bytes = MemoryBudget::kUnlimited);

  // Idle memory goes back to the system, that of arenas too. Returns the bytes. Thread-safe.
  size_t Trim();
  // An arena for callers' own blocks, within the budget. Thread-safe.
  std::shared_ptr<Arena> NewArena(ArenaOptions options);
  // All that is taken from the system counts against it. Idle memory above it goes back; what is in
  // use stays. Thread-safe.
  void SetBudget(size_t budget_bytes);
  // Of all pools: as SlabPool::SetIdleTrim.
  void SetIdleTrim(int64_t idle_trim_ms);

  std::shared_ptr<Ledger> ledger;
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<MemorySource> system;  // weights, outputs, dynamic values
  std::shared_ptr<SlabPool> slabs;       // one lease per run
  std::shared_ptr<SlabPool> blocks;      // large outputs and dynamic values: part of `system`
  std::shared_ptr<Admission> admission;  // to slabs and outputs of runs, and to weights
  BoundResults bound;

 private:
  struct Arenas;
  const std::shared_ptr<Arenas> arenas_;
};

}  // namespace waybill
