// ValueSource: large outputs and values of unknown size from a pool, other blocks from the heap.
#pragma once

#include <memory>

#include "base/file/page_bytes.h"
#include "memory/admission/budget.h"
#include "memory/ledger/ledger.h"
#include "memory/source/slab_pool.h"
#include "memory/source/source.h"

namespace waybill {

// A heap maps each very large block anew and gives it back at once: a run that makes 64 MiB of
// output then spends most of its time on page faults. And it keeps smaller ones once for each
// thread that ever freed one. A pool of the process has them warm for the next run, whoever makes
// it. A block served by the pool is entered under its own tag for as long as it is out, and as a
// slab while it is idle. Thread-safe.
class ValueSource : public MemorySource {
 public:
  // `blocks` holds pages that are entered on `page`; its own leases are on another one. `budget`,
  // which outlives this, hears of blocks that became idle.
  ValueSource(std::shared_ptr<MemorySource> heap, std::shared_ptr<SlabPool> blocks,
              std::shared_ptr<DeviceLedger> page, std::shared_ptr<MemoryBudget> budget);

  // The view of a block of the pool has all of its bytes: within a budget the whole pages of what
  // was asked for, else up to a quarter more.
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return heap_->device(); }

 private:
  static bool InPool(size_t bytes, MemoryTag tag) {
    const bool is_value = tag == MemoryTag::kOutput || tag == MemoryTag::kDynamic;
    return is_value && bytes >= 32 * PageBytes();  // whose rounding to pages is 3 % at most
  }

  const std::shared_ptr<MemorySource> heap_;
  const std::shared_ptr<SlabPool> blocks_;
  const std::shared_ptr<DeviceLedger> page_;
  const std::shared_ptr<MemoryBudget> budget_;
};

}  // namespace waybill
