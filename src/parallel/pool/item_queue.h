// ItemQueue: items of one region, taken one by one by tasks that each have their own scratch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace waybill {

// Every task has a share of neighbouring items, which it takes in order, so that from step to step
// a thread finds in its cache what it wrote before; then it takes what others have left. Lives on
// the stack of who opens the region; Next is thread-safe.
class ItemQueue {
 public:
  ItemQueue(size_t items, size_t tasks) : count_(std::clamp<size_t>(tasks, 1, kMaxShares)) {
    for (size_t i = 0; i < count_; ++i) {
      shares_[i].next.store(items * i / count_, std::memory_order_relaxed);
      shares_[i].end = items * (i + 1) / count_;
    }
  }

  // The next item for a task; false when none is left.
  bool Next(size_t task, size_t& item) {
    for (size_t i = 0; i < count_; ++i) {
      Share& share = shares_[(task + i) % count_];
      if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
      item = share.next.fetch_add(1, std::memory_order_relaxed);
      if (item < share.end) return true;
    }
    return false;
  }

 private:
  static constexpr size_t kMaxShares = 32;
  struct alignas(64) Share {
    std::atomic<size_t> next;
    size_t end;
  };
  const size_t count_;
  std::array<Share, kMaxShares> shares_;
};

}  // namespace waybill
