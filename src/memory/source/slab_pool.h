// SlabPool: keeps the slabs of finished runs warm for the next ones, for all sessions together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/source/source.h"

namespace waybill {

struct SlabPoolStats {
  uint64_t hits = 0;        // takes served by an idle slab: no call to the upstream source
  uint64_t misses = 0;      // takes that asked the upstream source
  uint64_t trims = 0;       // slabs given back to the upstream source
  size_t bytes_held = 0;    // taken from upstream and not given back
  size_t bytes_leased = 0;  // the part of bytes_held that runs use now
  size_t peak_bytes_held = 0;
  size_t idle_slabs = 0;
  size_t leased_slabs = 0;
};

struct SlabPoolOptions {
  // Idle bytes above this go back upstream as soon as they become idle.
  size_t max_idle_bytes = SIZE_MAX;
};

// A run leases one slab per device: Buffer::Allocate(pool, plan.slab_bytes, align, kSlab). A Take
// uses the idle slab that fits best. When none fits, idle slabs too small for it go back upstream
// (largest first, until they weigh as much as the new one), so that what is held follows the
// largest plan in use and not the history of plans. The upstream source counts what is held.
//
// Thread-safe. Take and Give of a warm slab make no system call and no heap allocation.
class SlabPool : public MemorySource {
 public:
  // Sizes are rounded up to this.
  static constexpr size_t kGranuleBytes = 4096;

  explicit SlabPool(std::shared_ptr<MemorySource> upstream, SlabPoolOptions options = {})
      : upstream_(std::move(upstream)), options_(options) {}
  ~SlabPool() override { Trim(0); }

  // The block's `bytes` is the whole slab's, which may be more than was asked for. Whatever `tag`
  // says, the upstream source is asked for MemoryTag::kSlab.
  // Errors: kOutOfMemory when the upstream source refuses even after all idle slabs went back.
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return upstream_->device(); }

  // Gives idle slabs back, largest first, until at most `keep_idle_bytes` are idle.
  // Returns the bytes given back.
  size_t Trim(size_t keep_idle_bytes);

  SlabPoolStats Stats() const;

 private:
  // All with mutex_ held.
  bool TakeIdle(size_t bytes, size_t align, BufferView& slab);
  void ReleaseSmaller(size_t bytes);
  size_t ReleaseDownTo(size_t keep_idle_bytes);
  void Release(size_t index);
  Result<BufferView> TakeUpstream(size_t bytes, size_t align);
  size_t IdleBytes() const { return stats_.bytes_held - stats_.bytes_leased; }

  std::shared_ptr<MemorySource> upstream_;
  SlabPoolOptions options_;
  mutable std::mutex mutex_;
  std::vector<BufferView> idle_;  // ascending by bytes; capacity for every slab that is held
  SlabPoolStats stats_;
};

}  // namespace waybill
