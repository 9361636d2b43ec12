#include "memory/source/arena.h"

#include <algorithm>
#include <bit>
#include <new>

#include "base/math/checked.h"

namespace waybill {

// At the beginning of its memory, before the first chunk.
struct alignas(kBlockAlign) Arena::Region {
  BufferView block;
  Region* before = nullptr;
  Region* after = nullptr;
};

// At the beginning of its memory. The last word before a block's data points to its chunk, which
// for usual alignments is `self`.
struct alignas(kBlockAlign) Arena::Chunk {
  size_t bytes = 0;            // with this header
  size_t requested_bytes = 0;  // of one in use
  Chunk* below = nullptr;      // at lower addresses of the region; null: the first
  Chunk* free_before = nullptr;
  Chunk* free_after = nullptr;
  Region* region = nullptr;  // null: a reserved block, `bytes` of upstream
  bool free = false;
  bool last = false;  // of the region
  Chunk* self = nullptr;

  std::byte* start() { return reinterpret_cast<std::byte*>(this); }
  Chunk* above() { return last ? nullptr : reinterpret_cast<Chunk*>(start() + bytes); }
};

namespace {

constexpr size_t kHeaderBytes = kBlockAlign;

// Bytes of a chunk for a block; nothing when there is no such number.
std::optional<size_t> ChunkBytes(size_t bytes, size_t align) {
  const size_t slack = align > kBlockAlign ? align : 0;
  const auto with_header = CheckedAdd(bytes, kHeaderBytes + slack);
  if (!with_header) return std::nullopt;
  return CheckedAlignUp(std::max(*with_header, kHeaderBytes + 1), Arena::kChunkBytes);
}

}  // namespace

Arena::Arena(std::shared_ptr<MemorySource> upstream, MemoryTag tag, ArenaOptions options,
             std::shared_ptr<std::atomic<size_t>> idle_bytes)
    : upstream_(std::move(upstream)),
      tag_(tag),
      options_(options),
      idle_bytes_(std::move(idle_bytes)),
      next_region_bytes_(std::max(options.first_region_bytes, kChunkBytes)) {
  static_assert(sizeof(Region) == kHeaderBytes && sizeof(Chunk) == kHeaderBytes);
  stats_.limit_bytes = options.max_bytes;
}

Arena::~Arena() { Shrink(); }

size_t Arena::BinOf(size_t bytes) {
  return std::min<size_t>(static_cast<size_t>(std::bit_width(bytes)), kBins) - 1;
}

// A free chunk that is a whole region makes it idle.
void Arena::AddIdle(const Chunk& chunk, bool idle) {
  if (idle_bytes_ == nullptr || chunk.below != nullptr || !chunk.last) return;
  const size_t bytes = chunk.region->block.bytes;
  if (idle) {
    idle_bytes_->fetch_add(bytes, std::memory_order_relaxed);
  } else {
    idle_bytes_->fetch_sub(bytes, std::memory_order_relaxed);
  }
}

void Arena::LinkFree(Chunk* chunk) {
  AddIdle(*chunk, true);
  Chunk*& first = free_[BinOf(chunk->bytes)];
  chunk->free = true;
  chunk->free_before = nullptr;
  chunk->free_after = first;
  if (first != nullptr) first->free_before = chunk;
  first = chunk;
}

void Arena::UnlinkFree(Chunk* chunk) {
  AddIdle(*chunk, false);
  (chunk->free_before != nullptr ? chunk->free_before->free_after : free_[BinOf(chunk->bytes)]) =
      chunk->free_after;
  if (chunk->free_after != nullptr) chunk->free_after->free_before = chunk->free_before;
  chunk->free = false;
}

Arena::Chunk* Arena::FindFree(size_t bytes) {
  for (size_t bin = BinOf(bytes); bin < kBins; ++bin) {
    Chunk* best = nullptr;
    for (Chunk* chunk = free_[bin]; chunk != nullptr; chunk = chunk->free_after) {
      if (chunk->bytes >= bytes && (best == nullptr || chunk->bytes < best->bytes)) best = chunk;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

void Arena::Split(Chunk* chunk, size_t bytes) {
  if (chunk->bytes == bytes) return;
  auto* rest = ::new (chunk->start() + bytes) Chunk;
  rest->bytes = chunk->bytes - bytes;
  rest->below = chunk;
  rest->region = chunk->region;
  rest->last = chunk->last;
  rest->self = rest;
  chunk->bytes = bytes;
  chunk->last = false;
  if (Chunk* const above = rest->above()) above->below = rest;
  LinkFree(rest);
}

Result<BufferView> Arena::AskUpstream(size_t bytes, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  auto taken = upstream_->Take(bytes, kBlockAlign, tag_);
  lock.lock();
  return taken;
}

Result<BufferView> Arena::TakeRegion(size_t chunk_bytes, std::unique_lock<std::mutex>& lock) {
  const auto least = CheckedAdd(chunk_bytes, kHeaderBytes);
  const size_t left = options_.max_bytes - std::min(options_.max_bytes, stats_.bytes_held);
  if (!least || *least > left) {
    return Error(Code::kOutOfMemory,
                 "a region for {} bytes exceeds the {} bytes that the arena may have: it has {}",
                 chunk_bytes, options_.max_bytes, stats_.bytes_held);
  }
  size_t wanted = *least;
  if (options_.extend == ArenaExtend::kNextPowerOfTwo &&
      wanted <= options_.max_power_of_two_bytes) {
    const size_t most = options_.max_power_of_two_bytes;
    while (next_region_bytes_ < wanted && next_region_bytes_ < most / 2) next_region_bytes_ *= 2;
    wanted = std::max(wanted, std::min({next_region_bytes_, most, left}));
    if (next_region_bytes_ < most / 2) next_region_bytes_ *= 2;
  }
  auto taken = AskUpstream(wanted, lock);
  if (taken.ok() || wanted == *least) return taken;
  return AskUpstream(*least, lock);
}

Result<Arena::Chunk*> Arena::Extend(size_t chunk_bytes, std::unique_lock<std::mutex>& lock) {
  WB_ASSIGN_OR_RETURN(const BufferView block, TakeRegion(chunk_bytes, lock));
  auto* region = ::new (block.data) Region;
  region->block = block;
  region->after = regions_;
  if (regions_ != nullptr) regions_->before = region;
  regions_ = region;
  stats_.bytes_held += block.bytes;
  ++stats_.extensions;
  auto* chunk = ::new (block.data + kHeaderBytes) Chunk;
  chunk->bytes = (block.bytes - kHeaderBytes) & ~(kChunkBytes - 1);
  chunk->region = region;
  chunk->last = true;
  chunk->self = chunk;
  LinkFree(chunk);
  return chunk;
}

void Arena::GiveRegion(Region* region) {
  (region->before != nullptr ? region->before->after : regions_) = region->after;
  if (region->after != nullptr) region->after->before = region->before;
  const BufferView block = region->block;
  stats_.bytes_held -= block.bytes;
  ++stats_.shrinkages;
  upstream_->Give(block, tag_);
}

void Arena::CountTake(size_t chunk_bytes, size_t requested_bytes) {
  stats_.bytes_in_use += chunk_bytes;
  stats_.requested_bytes_in_use += requested_bytes;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_chunk_bytes = std::max(stats_.largest_chunk_bytes, chunk_bytes);
}

Result<BufferView> Arena::Take(size_t bytes, size_t align, MemoryTag tag) {
  if (!IsPowerOfTwo(align)) {
    return Error(Code::kInvalidArgument, "alignment {} is no power of two", align);
  }
  const auto chunk_bytes = ChunkBytes(bytes, align);
  if (!chunk_bytes) {
    return Error(Code::kOutOfMemory, "{} bytes for {} are beyond the address space", bytes,
                 MemoryTagName(tag));
  }
  std::unique_lock growing(growing_, std::defer_lock);
  std::unique_lock lock(mutex_);
  Chunk* chunk = FindFree(*chunk_bytes);
  if (chunk == nullptr) {
    lock.unlock();
    growing.lock();
    lock.lock();
    chunk = FindFree(*chunk_bytes);  // another thread's that grew meanwhile
  }
  if (chunk == nullptr) {
    WB_ASSIGN_OR_RETURN(chunk, Extend(*chunk_bytes, lock));
  }
  UnlinkFree(chunk);
  Split(chunk, *chunk_bytes);
  chunk->requested_bytes = bytes;
  ++stats_.takes;
  CountTake(chunk->bytes, bytes);
  std::byte* const data = chunk->start() + kHeaderBytes;
  const auto address = reinterpret_cast<uintptr_t>(data);
  std::byte* const aligned = data + (AlignUp(address, std::max(align, kBlockAlign)) - address);
  ::new (aligned - sizeof(Chunk*)) Chunk*(chunk);
  return BufferView{aligned, bytes, device()};
}

Result<BufferView> Arena::Reserve(size_t bytes, size_t align) {
  if (!IsPowerOfTwo(align) || align > kBlockAlign) {
    return Error(Code::kInvalidArgument, "reserved blocks can not be aligned to {} bytes", align);
  }
  const auto chunk_bytes = ChunkBytes(bytes, align);
  const std::lock_guard growing(growing_);
  std::unique_lock lock(mutex_);
  const size_t left = options_.max_bytes - std::min(options_.max_bytes, stats_.bytes_held);
  if (!chunk_bytes || *chunk_bytes > left) {
    return Error(Code::kOutOfMemory,
                 "{} bytes exceed the {} bytes that the arena may have: it has {}", bytes,
                 options_.max_bytes, stats_.bytes_held);
  }
  WB_ASSIGN_OR_RETURN(const BufferView block, AskUpstream(*chunk_bytes, lock));
  auto* chunk = ::new (block.data) Chunk;
  chunk->bytes = *chunk_bytes;
  chunk->requested_bytes = bytes;
  chunk->self = chunk;
  stats_.bytes_held += chunk->bytes;
  ++stats_.reserves;
  CountTake(chunk->bytes, bytes);
  return BufferView{block.data + kHeaderBytes, bytes, device()};
}

void Arena::Give(BufferView block, MemoryTag) noexcept {
  Chunk* chunk = *std::launder(reinterpret_cast<Chunk**>(block.data - sizeof(Chunk*)));
  const std::lock_guard lock(mutex_);
  stats_.bytes_in_use -= chunk->bytes;
  stats_.requested_bytes_in_use -= chunk->requested_bytes;
  if (chunk->region == nullptr) {
    stats_.bytes_held -= chunk->bytes;
    upstream_->Give({chunk->start(), chunk->bytes, device()}, tag_);
    return;
  }
  if (Chunk* const above = chunk->above(); above != nullptr && above->free) {
    UnlinkFree(above);
    chunk->bytes += above->bytes;
    chunk->last = above->last;
  }
  if (Chunk* const below = chunk->below; below != nullptr && below->free) {
    UnlinkFree(below);
    below->bytes += chunk->bytes;
    below->last = chunk->last;
    chunk = below;
  }
  if (Chunk* const above = chunk->above()) above->below = chunk;
  LinkFree(chunk);
}

size_t Arena::Shrink() noexcept {
  const std::lock_guard lock(mutex_);
  size_t given = 0;
  for (Region* region = regions_; region != nullptr;) {
    Region* const next = region->after;
    auto* first = reinterpret_cast<Chunk*>(region->block.data + kHeaderBytes);
    if (first->free && first->last) {
      UnlinkFree(first);
      given += region->block.bytes;
      GiveRegion(region);
    }
    region = next;
  }
  if (given != 0) {
    next_region_bytes_ = std::max(options_.region_after_shrink_bytes, kChunkBytes);
  }
  return given;
}

ArenaStats Arena::Stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace waybill
