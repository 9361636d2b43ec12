// ThreadPool: splits one piece of work over several threads. Interface only; see MakeThreadPool.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/status/status.h"

namespace waybill {

namespace parallel_internal {
class Crew;
}

class ThreadPool {
 public:
  // Does tasks [begin, end) of the work that `context` stands for. Must not throw.
  using TaskFn = void (*)(void* context, size_t begin, size_t end);

  virtual ~ThreadPool() = default;
  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The most threads that one Run can use, the calling one included; at least 1.
  virtual size_t max_width() const = 0;

  // Calls `fn` on disjoint ranges that cover [0, tasks), on at most `width` threads of which the
  // caller is one, and returns when all are done. Threads that are at work for somebody else are
  // not waited for: when none is free the caller does everything alone. No heap allocation once
  // the threads are there. Thread-safe. Who has many regions to do holds a PoolLease.
  virtual void Run(size_t tasks, size_t width, TaskFn fn, void* context) = 0;

 protected:
  friend class PoolLease;
  // The threads of this process, started when they are not there; null when there are none.
  virtual parallel_internal::Crew* crew() { return nullptr; }
};

// Reference-counted: the threads end with the last owner. They are started by the first Run that
// wants them, block all signals, sleep while there is nothing to do, and are made anew in a forked
// child. `threads` counts the caller, so 1 makes a pool that runs everything inline. A system that
// refuses threads makes the pool narrower, never wrong.
std::shared_ptr<ThreadPool> MakeThreadPool(size_t threads);

namespace parallel_internal {

// The first exception of any task, for the caller to rethrow: none may leave a pool thread.
class ExceptionSlot {
 public:
  void Keep() noexcept {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
  void Rethrow() {
    if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

// The error of the lowest range, so that which one is reported depends on no timing.
class StatusSlot {
 public:
  void Keep(size_t begin, Status status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok() || begin < begin_) {
      begin_ = begin;
      status_ = std::move(status);
    }
  }
  Status Take() { return std::move(status_); }

 private:
  std::mutex mutex_;
  size_t begin_ = 0;
  Status status_;
};

}  // namespace parallel_internal

// Calls fn(begin, end) on ranges that cover [0, tasks); see ThreadPool::Run. Without a pool, or
// with width 1, it is one plain call on the caller's thread. Each task must write only its own
// outputs and compute them the same way in whatever range it falls: then results are bit-equal for
// every width. An exception of fn is rethrown here after all threads are done.
template <typename Fn>
void ParallelFor(ThreadPool* pool, size_t tasks, size_t width, const Fn& fn) {
  if (tasks == 0) return;
  if (pool == nullptr || width <= 1 || tasks == 1) {
    fn(size_t{0}, tasks);
    return;
  }
  struct Context {
    const Fn& fn;
    parallel_internal::ExceptionSlot exception;
  } context{fn, {}};
  pool->Run(
      tasks, width,
      [](void* raw, size_t begin, size_t end) {
        auto& self = *static_cast<Context*>(raw);
        try {
          self.fn(begin, end);
        } catch (...) {
          self.exception.Keep();
        }
      },
      &context);
  context.exception.Rethrow();
}

// The same for an fn that returns a Status. All ranges are tried; the error returned is the one of
// the lowest failing range.
template <typename Fn>
Status ParallelForStatus(ThreadPool* pool, size_t tasks, size_t width, const Fn& fn) {
  parallel_internal::StatusSlot slot;
  ParallelFor(pool, tasks, width, [&](size_t begin, size_t end) {
    if (Status status = fn(begin, end); !status.ok()) slot.Keep(begin, std::move(status));
  });
  return slot.Take();
}

}  // namespace waybill
