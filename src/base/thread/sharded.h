// Sharded: copies of what every thread would write, each for some of the threads, so that threads
// do not wait for one another's cache lines.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace waybill {

namespace thread_internal {
inline std::atomic<uint32_t> next_number{1};
// Of the initial-exec model: a load from the thread's own block and no call, in a shared library
// too. It is one word, so that there is always room for it when the library is loaded late.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local uint32_t number = 0;
}  // namespace thread_internal

// Numbers of threads, in the order in which they first asked.
inline uint32_t ThreadNumber() noexcept {
  uint32_t& number = thread_internal::number;
  if (number == 0) [[unlikely]] {
    number = thread_internal::next_number.fetch_add(1, std::memory_order_relaxed);
  }
  return number;
}

// The same thread always has the same copy. As many threads as there are shards, started one after
// the other, have a copy each; more share them, which costs time only, so that a T must be safe to
// use from several threads.
template <typename T, size_t kShards = 16>
class Sharded {
  static_assert((kShards & (kShards - 1)) == 0);

 public:
  T& Mine() noexcept { return shards_[ThreadNumber() & (kShards - 1)].value; }
  const T& Mine() const noexcept { return shards_[ThreadNumber() & (kShards - 1)].value; }

  template <typename Visit>
  void ForEach(Visit&& visit) {
    for (Shard& shard : shards_) visit(shard.value);
  }
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const Shard& shard : shards_) visit(shard.value);
  }

 private:
  struct alignas(64) Shard {
    T value{};
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace waybill
