// MemoryBudget: how many bytes of a device a process may use, all purposes together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/ledger/tag.h"

namespace waybill {

// Told when bytes of a budget came free that somebody waits for.
class FreedListener {
 public:
  virtual ~FreedListener() = default;
  virtual void OnFreed() noexcept = 0;
};

// Counts what sources take and refuses what would exceed the limit. Thread-safe and lock-free; what
// is in use is never above the limit, unless the limit was lowered below it.
class MemoryBudget {
 public:
  static constexpr size_t kUnlimited = SIZE_MAX;

  explicit MemoryBudget(size_t limit_bytes = kUnlimited) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  bool limited() const { return limit() != kUnlimited; }
  // What is in use stays in use, even above the new limit.
  void SetLimit(size_t limit_bytes) noexcept;

  // False, and nothing happened, when the limit would be exceeded.
  bool Charge(size_t bytes, MemoryTag tag) noexcept;
  void Refund(size_t bytes, MemoryTag tag) noexcept;
  // Bytes in use went idle: they are there for whoever needs them.
  void NoteIdle() noexcept {
    if (listening_.load(std::memory_order_seq_cst) != 0) listener_->OnFreed();
  }

  size_t in_use() const { return in_use_.load(std::memory_order_seq_cst); }
  size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  // The part of what is in use that lasts as long as sessions do: weights, packed and folded ones.
  size_t lasting() const { return lasting_.load(std::memory_order_relaxed); }
  // Charges that were refused so far.
  uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

  // At most one, which outlives its registration. Not thread-safe; before the first charge.
  void SetListener(FreedListener* listener) { listener_ = listener; }
  // Whether the listener wants to be told. Counted: each true needs its false.
  void Listen(bool on) { listening_.fetch_add(on ? 1 : -1, std::memory_order_seq_cst); }

 private:
  std::atomic<size_t> limit_;
  std::atomic<size_t> in_use_{0};
  std::atomic<size_t> peak_{0};
  std::atomic<size_t> lasting_{0};
  std::atomic<uint64_t> refusals_{0};
  std::atomic<int32_t> listening_{0};
  FreedListener* listener_ = nullptr;
};

}  // namespace waybill
