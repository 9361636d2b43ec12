// Slab: the record of one block that the slab pool keeps, and the few of them that a thread used
// last.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace waybill::slab_internal {

enum class SlabState : uint8_t {
  kEmpty,   // a record without a block
  kIdle,    // anybody may claim it
  kLeased,  // belongs to whoever claimed it: a run, or the pool that gives it back
};

// What a slab may have beyond what is needed and still count as needed whole.
constexpr size_t SlackBytes(size_t needed_bytes) {
  return needed_bytes > (size_t{8} << 20) ? needed_bytes / 20 : size_t{256} << 10;
}

// Records live as long as the pool, so that a thread may look at one that it does not own. Only the
// owner writes, and what it wrote is visible to the next one that claims.
struct alignas(64) Slab {
  std::atomic<SlabState> state{SlabState::kEmpty};
  std::atomic<uint32_t> needed_at{0};  // the pool's epoch when it was last needed whole
  std::atomic<std::byte*> data{nullptr};
  std::atomic<size_t> bytes{0};
  std::atomic<size_t> needed_bytes{0};  // by the present or last lease
  std::atomic<uint64_t> reuses{0};      // since the block was taken
  std::atomic<uint64_t> reused_bytes{0};

  bool Claim() {
    SlabState idle = SlabState::kIdle;
    return state.compare_exchange_strong(idle, SlabState::kLeased, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void Release() { state.store(SlabState::kIdle, std::memory_order_release); }

  bool IsIdle() const { return state.load(std::memory_order_relaxed) == SlabState::kIdle; }
  size_t size() const { return bytes.load(std::memory_order_relaxed); }
  // Only the owner may rely on it.
  bool Fits(size_t wanted_bytes, size_t align) const {
    const auto address = reinterpret_cast<uintptr_t>(data.load(std::memory_order_relaxed));
    return size() >= wanted_bytes && (address & (align - 1)) == 0;
  }
  bool NeededWhole() const {
    const size_t needed = needed_bytes.load(std::memory_order_relaxed);
    return size() - needed <= SlackBytes(needed);
  }
};

// The slabs that a few threads used last.
struct Shard {
  static constexpr size_t kWays = 4;
  std::array<std::atomic<Slab*>, kWays> ways = {};
  std::atomic<uint32_t> next{0};  // the way that is given up for a new one

  void Remember(Slab* slab) {
    for (auto& way : ways) {
      if (way.load(std::memory_order_relaxed) == slab) return;
    }
    for (auto& way : ways) {
      Slab* const old = way.load(std::memory_order_acquire);
      if (old == nullptr || old->state.load(std::memory_order_relaxed) == SlabState::kEmpty) {
        way.store(slab, std::memory_order_release);
        return;
      }
    }
    const uint32_t way = next.fetch_add(1, std::memory_order_relaxed) % kWays;
    ways[way].store(slab, std::memory_order_release);
  }
};

}  // namespace waybill::slab_internal
