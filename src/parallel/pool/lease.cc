#include "parallel/pool/lease.h"

#include <algorithm>

#include "parallel/pool/crew.h"

namespace waybill {

using parallel_internal::Team;
using parallel_internal::Worker;

namespace {

// Ranges per thread: more even out threads that lose their CPU, fewer cost less.
constexpr size_t kRangesPerThread = 4;

}  // namespace

PoolLease::PoolLease(ThreadPool* pool, size_t width)
    : pool_(pool), width_(pool == nullptr ? 1 : std::clamp<size_t>(width, 1, pool->max_width())) {}

PoolLease::~PoolLease() {
  if (crew_ == nullptr) return;
  crew_->Give(workers_);
  crew_->Leave();
}

size_t PoolLease::Gather(size_t wanted) {
  if (crew_ == nullptr) {
    crew_ = pool_->crew();
    if (crew_ == nullptr) return 0;
    crew_->Enter();
  }
  if (held_ + 1 < wanted) {
    Worker* before = workers_;
    held_ += crew_->Take(wanted - 1 - held_, workers_);
    // The team is that of the worker taken first, at the end of the list.
    Worker* last = workers_;
    while (last != nullptr && last->next != nullptr) last = last->next;
    for (Worker* worker = workers_; worker != before; worker = worker->next) {
      worker->team.store(&last->own, std::memory_order_seq_cst);
    }
  }
  return std::min(held_, wanted - 1);
}

void PoolLease::Run(size_t tasks, size_t width, TaskFn fn, void* context) {
  if (tasks == 0) return;
  const size_t wanted = std::min({width, width_, tasks});
  const size_t helpers = wanted > 1 && !busy_.load(std::memory_order_relaxed) ? Gather(wanted) : 0;
  if (helpers == 0) {
    fn(context, 0, tasks);
    return;
  }
  Team& team = *workers_->team.load(std::memory_order_relaxed);
  const auto ranges = static_cast<uint32_t>(
      std::min<size_t>({tasks, (helpers + 1) * kRangesPerThread, Team::kMaxRanges}));
  busy_.store(true, std::memory_order_relaxed);
  team.Open(fn, context, tasks, ranges);
  Worker* worker = workers_;
  for (size_t i = 0; i < helpers; ++i, worker = worker->next) worker->Wake();
  team.Work(Team::Side::kFront);
  team.Close(ranges);
  busy_.store(false, std::memory_order_relaxed);
}

}  // namespace waybill
