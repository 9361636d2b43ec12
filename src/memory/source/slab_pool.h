// SlabPool: keeps the slabs of finished runs warm for the next ones, for all sessions together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/file/page_bytes.h"
#include "base/thread/sharded.h"
#include "memory/device/stream.h"
#include "memory/ledger/ledger.h"
#include "memory/source/idle_timer.h"
#include "memory/source/slab.h"
#include "memory/source/source.h"

namespace waybill {

// Exact when no take or give is under way, whatever threads made them.
struct SlabPoolStats {
  uint64_t hits = 0;             // leases served by an idle slab: no call to the upstream source
  uint64_t misses = 0;           // leases that took a new slab
  uint64_t refusals = 0;         // leases that got nothing
  uint64_t trims = 0;            // slabs given back to the upstream source
  uint64_t trimmed_bytes = 0;    // of those
  uint64_t reused_bytes = 0;     // asked for by the hits, whole granules
  uint64_t allocated_bytes = 0;  // asked for by the misses, whole granules
  size_t bytes_held = 0;         // taken from upstream and not given back
  size_t bytes_leased = 0;       // the part of bytes_held that runs use now
  size_t peak_bytes_held = 0;
  size_t peak_bytes_leased = 0;
  size_t idle_slabs = 0;
  size_t leased_slabs = 0;

  size_t bytes_idle() const { return bytes_held > bytes_leased ? bytes_held - bytes_leased : 0; }
  uint64_t requested_bytes() const { return reused_bytes + allocated_bytes; }
  // reused / (reused + allocated), in leases; 0 before the first.
  double hit_rate() const {
    return hits + misses == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

struct SlabPoolOptions {
  // Idle bytes above this go back upstream as soon as they become idle.
  size_t max_idle_bytes = SIZE_MAX;
  // A slab that nobody needed whole for this long goes back upstream, at most a quarter of it late.
  // 0: idle slabs stay.
  int64_t idle_trim_ms = 0;
  // An idle slab serves a lease when it is larger by at most this part of it, 1 / closeness; and
  // where none does, idle ones of any size go back until no more is held than the most that was
  // leased at once and this part of it. For blocks that stay out for long. 0: any slab that is
  // large enough serves.
  size_t closeness = 0;
  // Asked when the upstream source refused although nothing is idle here: gives back what others
  // hold without need and returns the bytes. Called without a lock; may be empty.
  std::function<size_t()> reclaim = {};
};

// What a run asks for.
struct SlabRequest {
  size_t bytes = 0;
  size_t align = kBlockAlign;
  Device device;
  Stream stream;                     // whose work will use the slab
  MemoryTag tag = MemoryTag::kSlab;  // that a new block is taken for
  bool exact = false;                // no larger than it must be, whatever the pool's closeness
};

// A run leases one slab per device: Buffer::Allocate(pool, plan.slab_bytes, align, kSlab). A lease
// takes one of the slabs that its thread used last, else the idle slab that fits best. When none
// fits, idle slabs too small for it go back upstream (largest first, until they weigh as much as
// the new one). With the trimming of slabs that were not needed whole, what is held follows the
// largest plans in use and not the history of plans. The upstream source counts what is held.
//
// Thread-safe. A lease of a slab that this thread used last, at most twice as large as needed,
// takes no lock; no lease of an idle slab makes a system call or uses the heap.
class SlabPool : public MemorySource {
 public:
  // Sizes are rounded up to this: whole pages, as the upstream source counts them.
  static size_t GranuleBytes() noexcept { return PageBytes(); }

  // Leases are entered on `page`, which no other pool may use; null: on one of its own.
  explicit SlabPool(std::shared_ptr<MemorySource> upstream, SlabPoolOptions options = {},
                    std::shared_ptr<DeviceLedger> page = nullptr);
  ~SlabPool() override;

  // The block's `bytes` is the whole slab's, which may be more than was asked for. The upstream
  // source is asked under the request's tag, and given the block back under MemoryTag::kSlab.
  // Errors: kOutOfMemory when the upstream source refuses even after all idle slabs went back;
  // kInvalidArgument for an alignment that is no power of two, or a device that is not the pool's;
  // kNotImplemented for a stream of a device that has none.
  Result<BufferView> Lease(const SlabRequest& request);

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag) override {
    return Lease({bytes, align, device(), {}});
  }
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return upstream_->device(); }

  // Whether the bytes of a lease, which the caller has, were taken for it.
  bool IsFresh(const BufferView& lease);

  // Gives idle slabs back, largest first, until at most `keep_idle_bytes` are idle.
  // Returns the bytes given back.
  size_t Trim(size_t keep_idle_bytes);
  // From now on; as SlabPoolOptions::idle_trim_ms.
  void SetIdleTrim(int64_t idle_trim_ms);

  // Held and not leased at the moment; without a lock.
  size_t IdleBytes() const;
  SlabPoolStats Stats() const;

 private:
  using Slab = slab_internal::Slab;
  using Shard = slab_internal::Shard;

  Slab* ClaimWarm(Shard& shard, size_t bytes, size_t align, size_t most_bytes);
  // Of the request with its bytes in whole granules, as those below.
  Result<Slab*> ClaimOrTake(const SlabRequest& request);
  Slab* FindLeased(Shard& shard, const std::byte* data);
  void CountReuse(Slab& slab, size_t bytes);
  size_t LargestFor(size_t bytes, bool exact) const;
  bool IsStale(const Slab& slab) const;
  bool OnTick();
  // All with mutex_ held.
  Slab* ClaimBest(const SlabRequest& request);
  Slab* ClaimLargest(size_t below_bytes);
  Result<Slab*> TakeUpstream(const SlabRequest& request);
  Slab* EmptyRecord();
  void GiveUpstream(Slab* claimed);
  void TrimSmaller(size_t bytes);
  void TrimExcess(size_t bytes);
  Slab* ClaimClosest(size_t bytes);
  size_t TrimTo(size_t keep_idle_bytes);

  const std::shared_ptr<MemorySource> upstream_;
  const std::shared_ptr<DeviceLedger> page_;
  const size_t max_idle_bytes_;
  const size_t closeness_;
  const std::function<size_t()> reclaim_;
  Sharded<slab_internal::Shard, 64> shards_;

  std::atomic<size_t> held_bytes_{0};  // written with mutex_ held
  std::atomic<uint32_t> epoch_{1};     // ticks of the timer
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  SlabPoolStats counted_;  // what no slab counts: all but the hits of those that are held
  std::unique_ptr<IdleTimer> timer_;  // last: ends first
};

}  // namespace waybill
