// FailingSource: passes on to another source and refuses a chosen Take. For tests of what happens
// when memory runs out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "memory/source/source.h"

namespace waybill {

class FailingSource : public MemorySource {
 public:
  explicit FailingSource(std::shared_ptr<MemorySource> upstream) : upstream_(std::move(upstream)) {}

  // The n-th Take from now fails (1 is the next one; 0: none does), and with `and_later` every one
  // after it too. Thread-safe, but a Take at the same time may count before or after it.
  void FailAt(uint64_t n, bool and_later = false) {
    taken_.store(0, std::memory_order_relaxed);
    and_later_.store(and_later, std::memory_order_relaxed);
    fail_at_.store(n, std::memory_order_relaxed);
  }
  // Takes since the last FailAt, the refused ones included.
  uint64_t takes() const { return taken_.load(std::memory_order_relaxed); }

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override { upstream_->Give(block, tag); }
  Device device() const override { return upstream_->device(); }

 private:
  std::shared_ptr<MemorySource> upstream_;
  std::atomic<uint64_t> taken_{0};
  std::atomic<uint64_t> fail_at_{0};
  std::atomic<bool> and_later_{false};
};

}  // namespace waybill
