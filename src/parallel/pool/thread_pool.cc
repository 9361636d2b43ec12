#include "parallel/pool/thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>
#include <vector>

#include "base/math/checked.h"

namespace waybill {
namespace {

// Ranges per thread: more even out threads that lose their CPU, fewer cost less.
constexpr size_t kRangesPerThread = 4;

struct Job {
  ThreadPool::TaskFn fn;
  void* context;
  size_t tasks;
  size_t ranges;
  size_t grain;  // tasks in a range
  std::atomic<size_t> next{0};

  void Work() {
    while (true) {
      const size_t range = next.fetch_add(1, std::memory_order_relaxed);
      if (range >= ranges || range * grain >= tasks) return;
      const size_t begin = range * grain;
      fn(context, begin, begin + std::min(grain, tasks - begin));
    }
  }
};

// The threads of one process and what they wait for. Not usable in a forked child: its threads are
// not there and its mutex may be held by one of them.
class Crew {
 public:
  explicit Crew(size_t workers) : pid_(getpid()) {
    threads_.reserve(workers);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (size_t i = 0; i < workers; ++i) {
      try {
        threads_.emplace_back([this, i] { Serve(i); });
      } catch (const std::exception&) {  // no thread or no memory for it: fewer do
        break;
      }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_ready_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  bool OfThisProcess() const { return pid_ == getpid(); }
  size_t workers() const { return threads_.size(); }

  // False: somebody else is at it, or the caller is one of these threads.
  bool TryReserve() { return !reserved_.exchange(true, std::memory_order_acquire); }

  // Only after TryReserve, which it undoes.
  void Run(Job& job, size_t helpers) {
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      wanted_ = helpers;
    }
    if (helpers == threads_.size()) {
      work_ready_.notify_all();
    } else {
      for (size_t i = 0; i < helpers; ++i) work_ready_.notify_one();
    }
    job.Work();
    {
      std::unique_lock lock(mutex_);
      wanted_ = 0;  // those that are not awake yet need not come any more
      work_done_.wait(lock, [this] { return running_ == 0; });
      job_ = nullptr;
    }
    reserved_.store(false, std::memory_order_release);
  }

 private:
  void Serve(size_t index) {
    char name[16];
    std::snprintf(name, sizeof(name), "waybill-%u", static_cast<unsigned>(index + 1) % 10000);
    pthread_setname_np(pthread_self(), name);
    std::unique_lock lock(mutex_);
    while (true) {
      work_ready_.wait(lock, [this] { return stopping_ || wanted_ > 0; });
      if (stopping_) return;
      --wanted_;
      ++running_;
      Job* job = job_;
      lock.unlock();
      job->Work();
      lock.lock();
      if (--running_ == 0) work_done_.notify_one();
    }
  }

  const pid_t pid_;
  std::atomic<bool> reserved_{false};
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable work_done_;
  Job* job_ = nullptr;
  size_t wanted_ = 0;   // threads that should still join job_
  size_t running_ = 0;  // threads that joined it and have not left
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

class CrewPool : public ThreadPool {
 public:
  explicit CrewPool(size_t threads) : threads_(std::max<size_t>(threads, 1)) {}
  ~CrewPool() override {
    Crew* crew = crew_.load(std::memory_order_acquire);
    // The crew of a parent process can be neither stopped nor freed here.
    if (crew != nullptr && crew->OfThisProcess()) delete crew;
  }

  size_t max_width() const override { return threads_; }

  void Run(size_t tasks, size_t width, TaskFn fn, void* context) override {
    if (tasks == 0) return;
    const size_t wanted = std::min({width, threads_, tasks});
    Crew* crew = wanted > 1 ? CrewOfThisProcess() : nullptr;
    const size_t helpers = crew != nullptr ? std::min(wanted - 1, crew->workers()) : 0;
    if (helpers == 0 || !crew->TryReserve()) {
      fn(context, 0, tasks);
      return;
    }
    const size_t ranges = std::min(tasks, (helpers + 1) * kRangesPerThread);
    Job job{fn, context, tasks, ranges, CeilDiv(tasks, ranges)};
    crew->Run(job, helpers);
  }

 private:
  // Null when there is no memory for one: then the caller works alone.
  Crew* CrewOfThisProcess() try {
    Crew* crew = crew_.load(std::memory_order_acquire);
    while (crew == nullptr || !crew->OfThisProcess()) {
      auto fresh = std::make_unique<Crew>(threads_ - 1);
      if (crew_.compare_exchange_strong(crew, fresh.get(), std::memory_order_acq_rel)) {
        return fresh.release();
      }
    }
    return crew;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  const size_t threads_;
  std::atomic<Crew*> crew_{nullptr};
};

}  // namespace

std::shared_ptr<ThreadPool> MakeThreadPool(size_t threads) {
  return std::make_shared<CrewPool>(threads);
}

}  // namespace waybill
