#include "exec/runner/frame.h"

namespace waybill::exec {

std::unique_ptr<Frame> FramePool::Take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  std::unique_ptr<Frame> frame = std::move(free_.back());
  free_.pop_back();
  return frame;
}

void FramePool::Give(std::unique_ptr<Frame> frame) noexcept {
  const std::lock_guard lock(mutex_);
  if (free_.size() >= kMaxFree) return;
  try {
    free_.push_back(std::move(frame));
  } catch (const std::bad_alloc&) {
    // The frame dies with its unique_ptr: the next run makes a new one.
  }
}

size_t FramePool::free() const {
  const std::lock_guard lock(mutex_);
  return free_.size();
}

}  // namespace waybill::exec
