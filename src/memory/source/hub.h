// MemoryHub: the memory of a process as one object. The Env owns it; there is no global one.
#pragma once

#include <functional>
#include <memory>

#include "memory/ledger/ledger.h"
#include "memory/source/host_source.h"
#include "memory/source/page_source.h"
#include "memory/source/slab_pool.h"

namespace waybill {

// Puts another source before one: a budget, a trace, the failures of a test.
using WrapSource = std::function<std::shared_ptr<MemorySource>(std::shared_ptr<MemorySource>)>;

// Host memory so far; other devices add their own sources with a page of the same ledger. The
// sources outlive the hub for as long as a Buffer of theirs does.
struct MemoryHub {
  // `wrap`, where not empty, is asked once for each source of memory from the operating system, and
  // the hub uses what it returns in its place.
  explicit MemoryHub(SlabPoolOptions slab_options = {}, const WrapSource& wrap = {});

  // Idle memory goes back to the system. Returns the bytes. Thread-safe.
  size_t Trim() { return slabs->Trim(0); }

  std::shared_ptr<Ledger> ledger;
  std::shared_ptr<MemorySource> system;  // weights, outputs, dynamic values
  std::shared_ptr<SlabPool> slabs;       // one lease per run
};

}  // namespace waybill
