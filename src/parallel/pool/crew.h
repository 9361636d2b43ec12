// Crew: the pool's threads in one process, and who has taken which.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "parallel/pool/team.h"

namespace waybill::parallel_internal {

struct alignas(64) Worker {
  std::atomic<Team*> team{nullptr};  // whose regions it does; null: nobody's
  std::atomic<uint32_t> asleep{0};   // what it sleeps on
  std::atomic<bool> taken{false};
  Worker* next = nullptr;  // of the same lease; the holder's
  Team own;                // of the lease that holds this worker first
  std::thread thread;

  // Whether there is something to do. Sequentially consistent.
  bool HasWork() const {
    const Team* at = team.load(std::memory_order_seq_cst);
    return at != nullptr && at->HasWork();
  }
  // After a region was opened.
  void Wake();
};

// Not usable in a forked child, where its threads do not run.
class Crew {
 public:
  // Starts the threads, all signals blocked; fewer where the system refuses. Throws bad_alloc.
  explicit Crew(size_t workers);
  ~Crew();

  bool OfThisProcess() const;
  size_t workers() const { return started_; }

  // A caller that splits work counts as a thread at work, so that all of them together are no more
  // than the pool is wide.
  void Enter() { at_work_.fetch_add(1, std::memory_order_relaxed); }
  void Leave() { at_work_.fetch_sub(1, std::memory_order_relaxed); }

  // Takes up to `count` workers that nobody holds, puts them in front of `list`, and says how many
  // these were. They must be given back.
  size_t Take(size_t count, Worker*& list);
  // They may still finish what they have claimed.
  void Give(Worker* list);

 private:
  void Serve(Worker& me, size_t index);

  const pid_t pid_;
  size_t started_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> at_work_{0};  // callers and taken workers
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace waybill::parallel_internal
