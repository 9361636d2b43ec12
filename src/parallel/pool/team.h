// Team: threads that do one region of work after the other, with their caller.
//
// A region is cut into ranges, which the caller claims from the front and all others from the back
// by counting in one word: so each mostly gets the part of a tensor that it had in the step before.
// The word carries the region's number too, so a thread that comes late finds nothing to claim or
// claims in the region that is current: nobody ever waits for a thread that has not claimed
// anything, and none needs to sign off.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "parallel/pool/thread_pool.h"

namespace waybill::parallel_internal {

// Lives as long as any thread that may look at it. No member throws or allocates.
class Team {
 public:
  // By the caller, one region at a time: shows the region to all who look. `ranges` is 1 to
  // kMaxRanges and at most `tasks`.
  void Open(ThreadPool::TaskFn fn, void* context, size_t tasks, uint32_t ranges);
  // Does ranges of the region until none is left to claim. False: there was none. Any thread.
  enum class Side : uint8_t { kFront, kBack };
  bool Work(Side side);
  // By the caller after Work: returns when all ranges are done.
  void Close(uint32_t ranges);

  // Whether a range is left; sequentially consistent, for threads about to sleep.
  bool HasWork() const { return HasRange(claim_.load(std::memory_order_seq_cst)); }

  static constexpr uint32_t kMaxRanges = 0xffff;

 private:
  // Ranges [Front, Back) are claimed by nobody.
  static uint32_t Front(uint64_t claim) { return static_cast<uint32_t>(claim >> 16) & 0xffff; }
  static uint32_t Back(uint64_t claim) { return static_cast<uint32_t>(claim) & 0xffff; }
  static bool HasRange(uint64_t claim) { return Front(claim) < Back(claim); }

  // The region's number in the upper half, Front and Back in the lower.
  alignas(64) std::atomic<uint64_t> claim_{0};
  // The region. Only written while claim_ has no range left; a claim that succeeds proves that
  // what was read before it belongs together.
  std::atomic<ThreadPool::TaskFn> fn_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<size_t> tasks_{0}, grain_{0};
  std::atomic<bool> denormals_zero_{false};  // the caller's mode, in which all do their ranges

  alignas(64) std::atomic<uint32_t> done_{0};
  std::atomic<uint32_t> caller_asleep_{0};
};

}  // namespace waybill::parallel_internal
