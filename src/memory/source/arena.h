// Arena: blocks of any size and life out of few regions of another source.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "memory/source/source.h"

namespace waybill {

// How large the next region is.
enum class ArenaExtend : uint8_t {
  kNextPowerOfTwo,   // twice the last one, or more until the block fits
  kSameAsRequested,  // what the block needs
};

struct ArenaOptions {
  size_t max_bytes = SIZE_MAX;  // that all regions together may have
  ArenaExtend extend = ArenaExtend::kNextPowerOfTwo;
  size_t first_region_bytes = size_t{1} << 20;         // by powers of two
  size_t region_after_shrink_bytes = size_t{2} << 20;  // by powers of two
  // Larger blocks get a region of their own size.
  size_t max_power_of_two_bytes = size_t{1} << 30;
};

struct ArenaStats {
  size_t limit_bytes = SIZE_MAX;
  size_t bytes_in_use = 0;            // whole chunks, with their headers, and reserved blocks
  size_t requested_bytes_in_use = 0;  // what was asked for of these
  size_t bytes_held = 0;              // regions and reserved blocks
  size_t peak_bytes_in_use = 0;
  size_t largest_chunk_bytes = 0;  // handed out so far
  uint64_t takes = 0;
  uint64_t reserves = 0;
  uint64_t extensions = 0;  // regions taken
  uint64_t shrinkages = 0;  // regions given back
};

// The free chunk that fits best is split, so that less than kChunkBytes of it are wasted; a block
// that is given back joins its free neighbours. For host memory: the headers lie in the regions,
// and nothing is taken from the heap. Thread-safe, by locks of its own; while upstream is asked
// for bytes, other threads may give blocks and regions back.
class Arena : public MemorySource {
 public:
  // Chunks are multiples of this.
  static constexpr size_t kChunkBytes = 256;

  // Regions are taken from `upstream` for `tag`, whatever blocks are taken for. What Shrink would
  // give back is added to `idle_bytes`, where not null, at all times.
  Arena(std::shared_ptr<MemorySource> upstream, MemoryTag tag, ArenaOptions options = {},
        std::shared_ptr<std::atomic<size_t>> idle_bytes = nullptr);
  // All blocks have been given back: each Buffer holds a share.
  ~Arena() override;

  // Errors: kOutOfMemory naming max_bytes when it would be exceeded, or as upstream.
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  // A block of its own from upstream, that no region is taken for.
  Result<BufferView> Reserve(size_t bytes, size_t align);
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return upstream_->device(); }

  // Gives regions of which nothing is in use back. Returns the bytes.
  size_t Shrink() noexcept;
  ArenaStats Stats() const;

 private:
  struct Region;
  struct Chunk;
  static constexpr size_t kBins = 64;  // by the power of two

  static size_t BinOf(size_t bytes);
  // With growing_ and `lock` of mutex_, which is open while upstream is asked.
  Result<Chunk*> Extend(size_t chunk_bytes, std::unique_lock<std::mutex>& lock);
  Result<BufferView> TakeRegion(size_t chunk_bytes, std::unique_lock<std::mutex>& lock);
  Result<BufferView> AskUpstream(size_t bytes, std::unique_lock<std::mutex>& lock);
  // All with mutex_ held.
  Chunk* FindFree(size_t bytes);
  void AddIdle(const Chunk& chunk, bool idle);
  void Split(Chunk* chunk, size_t bytes);
  void LinkFree(Chunk* chunk);
  void UnlinkFree(Chunk* chunk);
  void GiveRegion(Region* region);
  void CountTake(size_t chunk_bytes, size_t requested_bytes);

  const std::shared_ptr<MemorySource> upstream_;
  const MemoryTag tag_;
  const ArenaOptions options_;
  const std::shared_ptr<std::atomic<size_t>> idle_bytes_;
  std::mutex growing_;  // taken before mutex_: bytes_held grows with it only
  mutable std::mutex mutex_;
  size_t next_region_bytes_;
  Region* regions_ = nullptr;
  std::array<Chunk*, kBins> free_ = {};
  ArenaStats stats_;
};

}  // namespace waybill
