// A counting semaphore without luck: who asks first is first.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

namespace waybill::bench {

// Places that go to callers in the order in which they ask; each is woken alone. Thread-safe.
class FairSemaphore {
 public:
  explicit FairSemaphore(size_t places) : places_(places) {}
  void Acquire() {
    std::unique_lock lock(mutex_);
    if (places_ != 0) {
      --places_;
      return;
    }
    Waiter waiter;
    waiters_.push_back(&waiter);
    waiter.changed.wait(lock, [&] { return waiter.has_place; });
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    if (waiters_.empty()) {
      ++places_;
      return;
    }
    waiters_.front()->has_place = true;
    waiters_.front()->changed.notify_one();
    waiters_.pop_front();
  }

 private:
  struct Waiter {
    std::condition_variable changed;
    bool has_place = false;
  };
  std::mutex mutex_;
  size_t places_;
  std::deque<Waiter*> waiters_;
};

}  // namespace waybill::bench
