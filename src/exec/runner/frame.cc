#include "exec/runner/frame.h"

#include <new>
#include <utility>

namespace waybill::exec {

std::unique_ptr<Frame> FramePool::Take() noexcept {
  const auto last_of = [](std::atomic<Frame*>& last) {
    return last.load(std::memory_order_relaxed) == nullptr
               ? nullptr
               : last.exchange(nullptr, std::memory_order_acq_rel);
  };
  if (Frame* mine = last_of(last_.Mine())) return std::unique_ptr<Frame>(mine);
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Frame> frame = std::move(free_.back());
      free_.pop_back();
      return frame;
    }
  }
  // Those of threads that may not come again.
  Frame* found = nullptr;
  last_.ForEach([&](std::atomic<Frame*>& last) {
    if (found == nullptr) found = last_of(last);
  });
  return std::unique_ptr<Frame>(found);
}

void FramePool::Give(std::unique_ptr<Frame> frame) noexcept {
  Frame* none = nullptr;
  if (last_.Mine().compare_exchange_strong(none, frame.get(), std::memory_order_acq_rel)) {
    static_cast<void>(frame.release());
    return;
  }
  const std::lock_guard lock(mutex_);
  if (free_.size() >= kMaxFree) return;
  try {
    free_.push_back(std::move(frame));
  } catch (const std::bad_alloc&) {
    // The frame dies with its unique_ptr: the next run makes a new one.
  }
}

void FramePool::Clear() noexcept {
  last_.ForEach([](std::atomic<Frame*>& last) {
    const std::unique_ptr<Frame> gone(last.exchange(nullptr, std::memory_order_acq_rel));
  });
  std::vector<std::unique_ptr<Frame>> old;  // freed when nobody has to wait for it
  const std::lock_guard lock(mutex_);
  old.swap(free_);
}

size_t FramePool::free() const {
  size_t count = 0;
  last_.ForEach([&](const std::atomic<Frame*>& last) {
    count += last.load(std::memory_order_relaxed) != nullptr;
  });
  const std::lock_guard lock(mutex_);
  return count + free_.size();
}

}  // namespace waybill::exec
