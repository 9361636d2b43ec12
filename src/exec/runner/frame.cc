#include "exec/runner/frame.h"

#include <new>
#include <utility>

namespace waybill::exec {

std::unique_ptr<Frame> FramePool::Take() noexcept {
  if (Frame* last = last_.exchange(nullptr, std::memory_order_acq_rel)) {
    return std::unique_ptr<Frame>(last);
  }
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  std::unique_ptr<Frame> frame = std::move(free_.back());
  free_.pop_back();
  return frame;
}

void FramePool::Give(std::unique_ptr<Frame> frame) noexcept {
  Frame* none = nullptr;
  if (last_.compare_exchange_strong(none, frame.get(), std::memory_order_acq_rel)) {
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
  const std::unique_ptr<Frame> last(last_.exchange(nullptr, std::memory_order_acq_rel));
  std::vector<std::unique_ptr<Frame>> old;  // freed when nobody has to wait for it
  const std::lock_guard lock(mutex_);
  old.swap(free_);
}

size_t FramePool::free() const {
  const std::lock_guard lock(mutex_);
  return free_.size() + (last_.load(std::memory_order_relaxed) != nullptr ? 1 : 0);
}

}  // namespace waybill::exec
