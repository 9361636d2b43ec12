// PoolLease: threads of a pool, kept over the many regions of one run, so that each region finds
// them awake.
#pragma once

#include <atomic>
#include <cstddef>

#include "parallel/pool/thread_pool.h"

namespace waybill {

namespace parallel_internal {
struct Worker;
}

// Used like the pool, by the thread that made it and from inside its tasks. Threads are taken by
// the first Run that wants them, and go back at the end; those that are at work for somebody else
// are not waited for. Between regions they spin for some microseconds, then sleep. No allocation
// once the pool's threads are there.
class PoolLease final : public ThreadPool {
 public:
  // `pool` is borrowed; null makes everything run on the caller.
  PoolLease(ThreadPool* pool, size_t width);
  ~PoolLease() override;

  size_t max_width() const override { return width_; }
  void Run(size_t tasks, size_t width, TaskFn fn, void* context) override;

 private:
  // Threads that may help with a region for `wanted` threads.
  size_t Gather(size_t wanted);

  ThreadPool* pool_;
  const size_t width_;
  parallel_internal::Crew* crew_ = nullptr;
  parallel_internal::Worker* workers_ = nullptr;
  size_t held_ = 0;
  std::atomic<bool> busy_{false};  // a region is open: calls come from inside its tasks
};

}  // namespace waybill
