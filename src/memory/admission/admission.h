// Admission: who may start now and who waits, so that runs that have started get what they need.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include "base/status/status.h"
#include "memory/admission/budget.h"

namespace waybill {

// What the weights of a session come to once it is made.
struct WeightNeed {
  size_t packed = 0;  // in the form that kernels read, or written out and aligned
  size_t folded = 0;  // computed, or copied one by one, while loading
  size_t read = 0;    // of files and models that are read or copied as a whole
  size_t more = 0;    // that turned out to be missing besides
  size_t mapped = 0;  // pages of files; no memory of the budget

  size_t bytes() const { return packed + folded + read + more; }
};

// What a run, or the making of a session, knows of itself before it takes its first byte.
struct AdmissionRequest {
  size_t slab_bytes = 0;
  size_t output_bytes = 0;
  WeightNeed weights;
  // Waits until fewer than this many that are counted are at work; 0: it is not counted.
  uint32_t max_inflight = 0;
  // How long it may wait: negative: as long as it takes; 0: not at all.
  int64_t timeout_ms = -1;
  const std::atomic<bool>* cancel = nullptr;  // looked at while waiting; may be null

  size_t bytes() const { return slab_bytes + output_bytes + weights.bytes(); }
};

struct AdmissionStats {
  uint64_t admitted = 0;  // of those that were limited by something
  uint64_t waited = 0;    // the part of them that had to wait first
  uint64_t refused = 0;   // too large, or not served in time
  uint64_t cancelled = 0;
  size_t waiting = 0;
  size_t peak_waiting = 0;
  uint64_t wait_ns = 0;  // of all that waited
  // By the power of two of microseconds below which the wait ended; the last takes all longer ones.
  std::array<uint64_t, 24> waits_by_log2_us = {};
};

class AdmissionTicket;

// Decides by two things: the bytes of a budget, and how many are at work. Who has to wait does so
// in the order of arrival, holding nothing. One that fits may pass those before it that do not, but
// each of these is passed only kMaxPassed times, so none starves; being passed counts where it
// takes what is waited for: a load, which needs bytes only, does not wait for runs that have enough
// of them. What fits into the budget only after idle memory went back counts as fitting.
//
// Nobody waits for ever: whoever is at work ends. Bytes that only callers can free (results that
// they keep) are waited for kGrace at most, unless the request has a time limit of its own.
//
// Thread-safe. Without a budget and without a limit on how many, entering is free; when there is
// room it takes a few atomic operations.
class Admission final : public FreedListener {
 public:
  static constexpr uint32_t kMaxPassed = 16;
  static constexpr std::chrono::milliseconds kGrace{1000};
  // How late a waiter may notice that it was cancelled. The last of the line looks for all of them:
  // the others sleep until it is their turn or their time is over.
  static constexpr std::chrono::milliseconds kPoll{20};

  // Bytes that are in use by the budget's count, but go back as soon as somebody needs them.
  using IdleBytes = std::function<size_t()>;

  // `budget` outlives this; `idle_bytes` may be empty.
  explicit Admission(MemoryBudget& budget, IdleBytes idle_bytes = {});
  ~Admission() override;

  // Waits until the request may start; `ticket`, which must be empty, then says so until it is
  // released, on the same thread. Within a run of the same thread it never waits.
  // Errors: kOutOfMemory with the numbers for a request that is larger than the whole budget or was
  // not served in time; kCancelled.
  Status Enter(const AdmissionRequest& request, AdmissionTicket& ticket);
  // Gives the place up and waits for another one before all others: something else took what was
  // free. Errors: as Enter; then the ticket is empty.
  Status Reenter(const AdmissionRequest& request, AdmissionTicket& ticket);

  // Who is at work already learned what it needs from here on: `bytes`, beside what it has taken.
  // False when so many are not free; then it keeps what it had reserved of them. It never waits.
  bool TryReserve(size_t bytes, AdmissionTicket& ticket);

  // What a request may have at the moment; the greatest number without a budget.
  size_t FreeBytes() const;
  AdmissionStats Stats() const;
  const MemoryBudget& budget() const { return budget_; }
  void OnFreed() noexcept override;

 private:
  friend class AdmissionTicket;
  struct Waiter;

  Status Wait(const AdmissionRequest& request, bool first, AdmissionTicket& ticket);
  static bool IsCancelled(const AdmissionRequest& request) noexcept;
  bool TryAdmit(const AdmissionRequest& request, AdmissionTicket& ticket);
  void Leave(AdmissionTicket& ticket) noexcept;
  void Unreserve(size_t bytes) noexcept;
  size_t UsedBytes() const;
  size_t BytesBeside(size_t reserved_bytes) const;
  // All with mutex_ held.
  void Link(Waiter& waiter, bool first) noexcept;
  void Unlink(Waiter& waiter) noexcept;
  void GrantAll() noexcept;
  // Wakes those whose wait is over.
  void WakeEnded() noexcept;
  bool LacksBytes(const AdmissionRequest& request) const noexcept;
  bool EverFits(const AdmissionRequest& request) const noexcept;
  Status Await(Waiter& waiter, std::unique_lock<std::mutex>& lock);
  // Whether it waited in vain, and why. Both know the same moment only while mutex_ is held.
  bool IsOver(Waiter& waiter) const noexcept;
  Status WhyOver(const Waiter& waiter) const;
  void CountWait(int64_t wait_ns) noexcept;

  MemoryBudget& budget_;
  const IdleBytes idle_bytes_;
  alignas(64) std::atomic<uint32_t> running_{0};  // that are counted
  std::atomic<uint32_t> holders_{0};              // that were admitted by bytes
  std::atomic<size_t> reserved_bytes_{0};         // theirs, not yet taken
  std::atomic<uint32_t> waiters_{0};
  std::atomic<uint64_t> admitted_{0};
  mutable std::mutex mutex_;
  Waiter* head_ = nullptr;  // waits longest
  Waiter* tail_ = nullptr;
  AdmissionStats stats_;
};

// A place at work. Released by its destructor.
class AdmissionTicket {
 public:
  AdmissionTicket() = default;
  AdmissionTicket(const AdmissionTicket&) = delete;
  AdmissionTicket& operator=(const AdmissionTicket&) = delete;
  ~AdmissionTicket() { Release(); }

  // The bytes asked for have been taken, but for `left_bytes`, and are counted where they are.
  void Settle(size_t left_bytes = 0) noexcept;
  void Release() noexcept;
  // Whether it has a place that depends on the budget.
  bool holds_bytes() const { return holds_; }
  // Not yet taken of those asked for.
  size_t reserved_bytes() const { return reserved_bytes_; }

 private:
  friend class Admission;
  Admission* owner_ = nullptr;
  size_t reserved_bytes_ = 0;
  bool counted_ = false;
  bool holds_ = false;
};

}  // namespace waybill
