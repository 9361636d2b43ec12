// Team: threads that do one region of work after the other, with their caller.
//
// A region is cut into ranges, which are claimed by counting one word down. The word carries the
// region's number too, so a thread that comes late finds nothing to claim or claims in the region
// that is current: nobody ever waits for a thread that has not claimed anything, and none needs to
// sign off.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "parallel/pool/thread_pool.h"

namespace waybill::parallel_internal {

// Lives as long as any thread that may look at it. No member throws or allocates.
class Team {
 public:
  // By the caller, one region at a time: shows the region to all who look. `ranges` is 1 to 2^31
  // and at most `tasks`.
  void Open(ThreadPool::TaskFn fn, void* context, size_t tasks, uint32_t ranges);
  // Does ranges of the region until none is left to claim. False: there was none. Any thread.
  bool Work();
  // By the caller after Work: returns when all ranges are done.
  void Close(uint32_t ranges);

  // Whether a range is left; sequentially consistent, for threads about to sleep.
  bool HasWork() const { return Left(claim_.load(std::memory_order_seq_cst)) != 0; }

 private:
  static uint32_t Left(uint64_t claim) { return static_cast<uint32_t>(claim); }

  // The region's number above, the ranges nobody has claimed yet below.
  alignas(64) std::atomic<uint64_t> claim_{0};
  // The region. Only written while claim_ has no range left; a claim that succeeds proves that
  // what was read before it belongs together.
  std::atomic<ThreadPool::TaskFn> fn_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<size_t> tasks_{0}, grain_{0};
  std::atomic<uint32_t> ranges_{0};
  std::atomic<bool> denormals_zero_{false};  // the caller's mode, in which all do their ranges

  alignas(64) std::atomic<uint32_t> done_{0};
  std::atomic<uint32_t> caller_asleep_{0};
};

}  // namespace waybill::parallel_internal
