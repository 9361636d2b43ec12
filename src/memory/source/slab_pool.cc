#include "memory/source/slab_pool.h"

#include <algorithm>
#include <cstdint>

#include "base/math/checked.h"

namespace waybill {
namespace {

bool Smaller(const BufferView& a, const BufferView& b) { return a.bytes < b.bytes; }

}  // namespace

bool SlabPool::TakeIdle(size_t bytes, size_t align, BufferView& slab) {
  const BufferView wanted{nullptr, bytes, {}};
  auto fit = std::lower_bound(idle_.begin(), idle_.end(), wanted, Smaller);
  const auto aligned = [align](const BufferView& view) {
    return (reinterpret_cast<uintptr_t>(view.data) & (align - 1)) == 0;
  };
  fit = std::find_if(fit, idle_.end(), aligned);
  if (fit == idle_.end()) return false;
  slab = *fit;
  idle_.erase(fit);
  return true;
}

void SlabPool::Release(size_t index) {
  const BufferView slab = idle_[index];
  idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(index));
  stats_.bytes_held -= slab.bytes;
  ++stats_.trims;
  upstream_->Give(slab, MemoryTag::kSlab);
}

void SlabPool::ReleaseSmaller(size_t bytes) {
  size_t released = 0;
  while (released < bytes) {
    const BufferView wanted{nullptr, bytes, {}};
    const auto larger = std::lower_bound(idle_.begin(), idle_.end(), wanted, Smaller);
    if (larger == idle_.begin()) return;
    const auto index = static_cast<size_t>(larger - idle_.begin()) - 1;
    released += idle_[index].bytes;
    Release(index);
  }
}

size_t SlabPool::ReleaseDownTo(size_t keep_idle_bytes) {
  const size_t before = stats_.bytes_held;
  while (!idle_.empty() && IdleBytes() > keep_idle_bytes) Release(idle_.size() - 1);
  return before - stats_.bytes_held;
}

Result<BufferView> SlabPool::TakeUpstream(size_t bytes, size_t align) {
  // Room for this slab among the idle ones, so that giving it back needs no heap.
  idle_.reserve(idle_.size() + stats_.leased_slabs + 1);
  ReleaseSmaller(bytes);
  auto taken = upstream_->Take(bytes, align, MemoryTag::kSlab);
  if (!taken.ok() && !idle_.empty()) {
    ReleaseDownTo(0);
    taken = upstream_->Take(bytes, align, MemoryTag::kSlab);
  }
  if (!taken.ok()) {
    return std::move(taken).status().With("slab pool holding {} bytes, all leased",
                                          stats_.bytes_held);
  }
  taken->bytes = bytes;
  return taken;
}

Result<BufferView> SlabPool::Take(size_t bytes, size_t align, MemoryTag) {
  if (!IsPowerOfTwo(align)) {
    return Error(Code::kInvalidArgument, "alignment {} is no power of two", align);
  }
  const auto rounded = CheckedAlignUp(std::max<size_t>(bytes, 1), kGranuleBytes);
  if (!rounded) {
    return Error(Code::kOutOfMemory, "a slab of {} bytes is beyond the address space", bytes);
  }
  const std::lock_guard lock(mutex_);
  BufferView slab;
  if (TakeIdle(*rounded, align, slab)) {
    ++stats_.hits;
  } else {
    ++stats_.misses;
    WB_ASSIGN_OR_RETURN(slab, TakeUpstream(*rounded, align));
    stats_.bytes_held += slab.bytes;
    stats_.peak_bytes_held = std::max(stats_.peak_bytes_held, stats_.bytes_held);
  }
  stats_.bytes_leased += slab.bytes;
  ++stats_.leased_slabs;
  return slab;
}

void SlabPool::Give(BufferView block, MemoryTag) noexcept {
  const std::lock_guard lock(mutex_);
  stats_.bytes_leased -= block.bytes;
  --stats_.leased_slabs;
  // Before its equals, so that the slab used last is found first, its bytes still in the cache.
  idle_.insert(std::lower_bound(idle_.begin(), idle_.end(), block, Smaller), block);
  ReleaseDownTo(options_.max_idle_bytes);
}

size_t SlabPool::Trim(size_t keep_idle_bytes) {
  const std::lock_guard lock(mutex_);
  return ReleaseDownTo(keep_idle_bytes);
}

SlabPoolStats SlabPool::Stats() const {
  const std::lock_guard lock(mutex_);
  SlabPoolStats stats = stats_;
  stats.idle_slabs = idle_.size();
  return stats;
}

}  // namespace waybill
