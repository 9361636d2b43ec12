#include "memory/source/slab_pool.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>

#include "base/math/checked.h"

namespace waybill {
namespace {

using slab_internal::Slab;
using slab_internal::SlabState;

// In a quarter of the time after which an idle slab goes back, so that it is at most that much
// late.
constexpr uint32_t kTicksUntilIdle = 4;

// Only one thread writes at a time.
template <typename T>
void Add(std::atomic<T>& counter, T n) {
  counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

}  // namespace

SlabPool::SlabPool(std::shared_ptr<MemorySource> upstream, SlabPoolOptions options,
                   std::shared_ptr<DeviceLedger> page)
    : upstream_(std::move(upstream)),
      page_(page != nullptr ? std::move(page)
                            : std::make_shared<DeviceLedger>(upstream_->device())),
      max_idle_bytes_(options.max_idle_bytes),
      closeness_(options.closeness),
      reclaim_(std::move(options.reclaim)) {
  SetIdleTrim(options.idle_trim_ms);
}

SlabPool::~SlabPool() {
  timer_.reset();
  Trim(0);
}

size_t SlabPool::LargestFor(size_t bytes, bool exact) const {
  if (exact) return bytes;
  return closeness_ == 0 ? SIZE_MAX : CheckedAdd(bytes, bytes / closeness_).value_or(SIZE_MAX);
}

Slab* SlabPool::ClaimWarm(Shard& shard, size_t bytes, size_t align, size_t most_bytes) {
  Slab* best = nullptr;
  size_t best_bytes = most_bytes;
  for (const auto& way : shard.ways) {
    Slab* const slab = way.load(std::memory_order_acquire);
    if (slab == nullptr || !slab->IsIdle()) continue;
    const size_t size = slab->size();
    if (!slab->Fits(bytes, align) || size > best_bytes || (size == best_bytes && best != nullptr)) {
      continue;
    }
    best = slab;
    best_bytes = size;
  }
  if (best == nullptr || !best->Claim()) return nullptr;
  // Between the look and the claim it may have become another slab.
  if (best->size() == best_bytes && best->Fits(bytes, align)) return best;
  best->Release();
  return nullptr;
}

Slab* SlabPool::ClaimBest(const SlabRequest& request) {
  const size_t most_bytes = LargestFor(request.bytes, request.exact);
  while (true) {
    Slab* best = nullptr;
    for (const auto& slab : slabs_) {
      if (!slab->IsIdle() || !slab->Fits(request.bytes, request.align)) continue;
      if (slab->size() > most_bytes) continue;
      if (best == nullptr || slab->size() < best->size()) best = slab.get();
    }
    if (best == nullptr || best->Claim()) return best;
  }
}

Slab* SlabPool::ClaimLargest(size_t below_bytes) {
  while (true) {
    Slab* largest = nullptr;
    for (const auto& slab : slabs_) {
      if (!slab->IsIdle() || slab->size() >= below_bytes) continue;
      if (largest == nullptr || slab->size() > largest->size()) largest = slab.get();
    }
    if (largest == nullptr || largest->Claim()) return largest;
  }
}

void SlabPool::GiveUpstream(Slab* claimed) {
  const BufferView block{claimed->data.load(std::memory_order_relaxed), claimed->size(), device()};
  counted_.hits += claimed->reuses.load(std::memory_order_relaxed);
  counted_.reused_bytes += claimed->reused_bytes.load(std::memory_order_relaxed);
  ++counted_.trims;
  counted_.trimmed_bytes += block.bytes;
  held_bytes_.fetch_sub(block.bytes, std::memory_order_relaxed);
  claimed->reuses.store(0, std::memory_order_relaxed);
  claimed->reused_bytes.store(0, std::memory_order_relaxed);
  claimed->data.store(nullptr, std::memory_order_relaxed);
  claimed->bytes.store(0, std::memory_order_relaxed);
  claimed->state.store(SlabState::kEmpty, std::memory_order_release);
  upstream_->Give(block, MemoryTag::kSlab);
}

void SlabPool::TrimSmaller(size_t bytes) {
  size_t given = 0;
  while (given < bytes) {
    Slab* const slab = ClaimLargest(bytes);
    if (slab == nullptr) return;
    given += slab->size();
    GiveUpstream(slab);
  }
}

// The smallest of at least so many bytes, else the largest.
Slab* SlabPool::ClaimClosest(size_t bytes) {
  while (true) {
    Slab* best = nullptr;
    for (const auto& slab : slabs_) {
      if (!slab->IsIdle() || slab->size() < bytes) continue;
      if (best == nullptr || slab->size() < best->size()) best = slab.get();
    }
    if (best == nullptr) return ClaimLargest(SIZE_MAX);
    if (best->Claim()) return best;
  }
}

void SlabPool::TrimExcess(size_t bytes) {
  const DeviceUse use = page_->Snapshot();
  const size_t most = std::max<size_t>(use.peak_leased_bytes, use.leased_bytes + bytes);
  while (true) {
    const size_t held = held_bytes_.load(std::memory_order_relaxed) + bytes;
    if (held <= most + most / closeness_) return;
    Slab* const slab = ClaimClosest(held - most - most / closeness_);
    if (slab == nullptr) return;
    GiveUpstream(slab);
  }
}

size_t SlabPool::TrimTo(size_t keep_idle_bytes) {
  size_t given = 0;
  while (IdleBytes() > keep_idle_bytes) {
    Slab* const slab = ClaimLargest(SIZE_MAX);
    if (slab == nullptr) break;
    given += slab->size();
    GiveUpstream(slab);
  }
  return given;
}

Slab* SlabPool::EmptyRecord() {
  for (const auto& slab : slabs_) {
    if (slab->state.load(std::memory_order_relaxed) == SlabState::kEmpty) return slab.get();
  }
  slabs_.push_back(std::make_unique<Slab>());
  return slabs_.back().get();
}

Result<Slab*> SlabPool::TakeUpstream(const SlabRequest& request) {
  const size_t bytes = request.bytes;
  const auto take = [&] { return upstream_->Take(bytes, request.align, request.tag); };
  Slab* const slab = EmptyRecord();
  closeness_ == 0 ? TrimSmaller(bytes) : TrimExcess(bytes);
  auto taken = take();
  if (!taken.ok() && TrimTo(0) != 0) taken = take();
  if (!taken.ok()) {
    ++counted_.refusals;
    return std::move(taken).status().With("pool holding {} bytes, all leased",
                                          held_bytes_.load(std::memory_order_relaxed));
  }
  ++counted_.misses;
  counted_.allocated_bytes += bytes;
  slab->data.store(taken->data, std::memory_order_relaxed);
  slab->bytes.store(bytes, std::memory_order_relaxed);
  slab->needed_bytes.store(bytes, std::memory_order_relaxed);
  slab->state.store(SlabState::kLeased, std::memory_order_relaxed);
  const size_t held = held_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  counted_.peak_bytes_held = std::max(counted_.peak_bytes_held, held);
  if (timer_ != nullptr) timer_->Arm();
  return slab;
}

void SlabPool::CountReuse(Slab& slab, size_t bytes) {
  slab.needed_bytes.store(bytes, std::memory_order_relaxed);
  Add<uint64_t>(slab.reuses, 1);
  Add<uint64_t>(slab.reused_bytes, bytes);
}

Result<Slab*> SlabPool::ClaimOrTake(const SlabRequest& request) {
  const std::lock_guard lock(mutex_);
  Slab* const slab = ClaimBest(request);
  if (slab == nullptr) return TakeUpstream(request);
  CountReuse(*slab, request.bytes);
  return slab;
}

Result<BufferView> SlabPool::Lease(const SlabRequest& request) {
  if (!IsPowerOfTwo(request.align)) {
    return Error(Code::kInvalidArgument, "alignment {} is no power of two", request.align);
  }
  if (request.device != device()) {
    return Error(Code::kInvalidArgument, "the slabs are those of {}, not of {}",
                 device().ToString(), request.device.ToString());
  }
  if (request.stream != Stream()) {
    return Error(Code::kNotImplemented, "device {} has no streams", device().ToString());
  }
  const auto rounded = CheckedAlignUp(std::max<size_t>(request.bytes, 1), GranuleBytes());
  if (!rounded) {
    return Error(Code::kOutOfMemory, "a slab of {} bytes is beyond the address space",
                 request.bytes);
  }
  // What a thread has used last may be twice as large, but no more than the pool allows.
  const size_t twice_bytes = *rounded > SIZE_MAX / 2 ? SIZE_MAX : 2 * *rounded;
  const size_t most_bytes = std::min(twice_bytes, LargestFor(*rounded, request.exact));
  Shard& shard = shards_.Mine();
  Slab* slab = ClaimWarm(shard, *rounded, request.align, most_bytes);
  if (slab != nullptr) {
    CountReuse(*slab, *rounded);
  } else {
    SlabRequest whole = request;
    whole.bytes = *rounded;
    auto found = ClaimOrTake(whole);
    const bool refused = !found.ok() && found.status().code() == Code::kOutOfMemory;
    if (refused && reclaim_ && reclaim_() != 0) found = ClaimOrTake(whole);
    WB_ASSIGN_OR_RETURN(slab, std::move(found));
    shard.Remember(slab);
  }
  const BufferView lease{slab->data.load(std::memory_order_relaxed), slab->size(), request.device};
  page_->OnServe({lease.data, lease.bytes, request.align, MemoryTag::kSlab, EventSource::kSlabs},
                 slab->reuses.load(std::memory_order_relaxed) != 0);
  return lease;
}

Slab* SlabPool::FindLeased(Shard& shard, const std::byte* data) {
  const auto is_it = [data](const Slab& slab) {
    return slab.data.load(std::memory_order_relaxed) == data;
  };
  for (const auto& way : shard.ways) {
    Slab* const slab = way.load(std::memory_order_acquire);
    if (slab != nullptr && is_it(*slab)) return slab;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& slab : slabs_) {
    if (is_it(*slab)) return slab.get();
  }
  return nullptr;
}

bool SlabPool::IsFresh(const BufferView& lease) {
  const Slab* const slab = FindLeased(shards_.Mine(), lease.data);
  return slab != nullptr && slab->reuses.load(std::memory_order_relaxed) == 0;
}

bool SlabPool::IsStale(const Slab& slab) const {
  return epoch_.load(std::memory_order_relaxed) - slab.needed_at.load(std::memory_order_relaxed) >
         kTicksUntilIdle;
}

void SlabPool::Give(BufferView block, MemoryTag) noexcept {
  Slab* const slab = FindLeased(shards_.Mine(), block.data);
  if (slab == nullptr) return;
  page_->OnReturn({block.data, block.bytes, 0, MemoryTag::kSlab, EventSource::kSlabs});
  if (slab->NeededWhole()) {
    slab->needed_at.store(epoch_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  const bool stale = IsStale(*slab);
  if (!stale) slab->Release();
  if (stale || max_idle_bytes_ != SIZE_MAX) [[unlikely]] {
    const std::lock_guard lock(mutex_);
    if (stale) GiveUpstream(slab);
    TrimTo(max_idle_bytes_);
  }
}

size_t SlabPool::Trim(size_t keep_idle_bytes) {
  const std::lock_guard lock(mutex_);
  return TrimTo(keep_idle_bytes);
}

bool SlabPool::OnTick() {
  epoch_.fetch_add(1, std::memory_order_relaxed);
  const size_t held_before = held_bytes_.load(std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& slab : slabs_) {
      if (!slab->IsIdle() || !IsStale(*slab) || !slab->Claim()) continue;
      IsStale(*slab) ? GiveUpstream(slab.get()) : slab->Release();
    }
  }
  const size_t held = held_bytes_.load(std::memory_order_relaxed);
  // The outputs of those runs are gone too, and left holes in the heap.
  if (held < held_before) malloc_trim(0);
  return held != 0;
}

void SlabPool::SetIdleTrim(int64_t idle_trim_ms) {
  std::unique_ptr<IdleTimer> timer;
  if (idle_trim_ms > 0) {
    const std::chrono::milliseconds period(std::max<int64_t>(idle_trim_ms / kTicksUntilIdle, 1));
    timer = std::make_unique<IdleTimer>(period, [this] { return OnTick(); });
  }
  {
    const std::lock_guard lock(mutex_);
    timer_.swap(timer);
    if (timer_ != nullptr && held_bytes_.load(std::memory_order_relaxed) != 0) timer_->Arm();
  }
  timer.reset();  // waits for a tick, which may wait for the lock
}

size_t SlabPool::IdleBytes() const {
  const size_t leased = page_->leased_bytes();
  const size_t held = held_bytes_.load(std::memory_order_relaxed);
  return held > leased ? held - leased : 0;
}

SlabPoolStats SlabPool::Stats() const {
  const std::lock_guard lock(mutex_);
  SlabPoolStats stats = counted_;
  for (const auto& slab : slabs_) {
    stats.hits += slab->reuses.load(std::memory_order_relaxed);
    stats.reused_bytes += slab->reused_bytes.load(std::memory_order_relaxed);
    const SlabState state = slab->state.load(std::memory_order_relaxed);
    stats.idle_slabs += state == SlabState::kIdle;
    stats.leased_slabs += state == SlabState::kLeased;
  }
  stats.bytes_held = held_bytes_.load(std::memory_order_relaxed);
  const DeviceUse use = page_->Snapshot();
  stats.bytes_leased = use.leased_bytes;
  stats.peak_bytes_leased = use.peak_leased_bytes;
  return stats;
}

}  // namespace waybill
