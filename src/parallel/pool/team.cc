#include "parallel/pool/team.h"

#include <algorithm>

#include "base/math/checked.h"
#include "base/math/denormals.h"
#include "parallel/pool/futex.h"

namespace waybill::parallel_internal {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
// How long a caller spins for ranges that others are still at, before it sleeps.
constexpr int64_t kWaitNs = 50'000;

}  // namespace

void Team::Open(ThreadPool::TaskFn fn, void* context, size_t tasks, uint32_t ranges) {
  fn_.store(fn, kRelaxed);
  context_.store(context, kRelaxed);
  tasks_.store(tasks, kRelaxed);
  grain_.store(CeilDiv(tasks, size_t{ranges}), kRelaxed);
  denormals_zero_.store(DenormalsAreZero(), kRelaxed);
  done_.store(0, kRelaxed);
  const uint64_t number = (claim_.load(kRelaxed) >> 32) + 1;
  claim_.store(number << 32 | ranges, std::memory_order_seq_cst);
}

bool Team::Work(Side side) {
  uint32_t finished = 0;
  uint64_t claim = claim_.load(std::memory_order_acquire);
  while (HasRange(claim)) {
    const auto fn = fn_.load(kRelaxed);
    void* const context = context_.load(kRelaxed);
    const size_t tasks = tasks_.load(kRelaxed), grain = grain_.load(kRelaxed);
    const bool front = side == Side::kFront;
    const size_t range = front ? Front(claim) : Back(claim) - 1;
    const bool denormals_zero = denormals_zero_.load(kRelaxed);
    if (!claim_.compare_exchange_weak(claim, front ? claim + (1 << 16) : claim - 1,
                                      std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    // Rounding up leaves the last ranges empty at times.
    if (const size_t begin = range * grain; begin < tasks) {
      const DenormalScope scope(denormals_zero);
      fn(context, begin, begin + std::min(grain, tasks - begin));
    }
    done_.fetch_add(1, std::memory_order_seq_cst);
    if (caller_asleep_.load(std::memory_order_seq_cst) != 0) FutexWakeAll(done_);
    ++finished;
    claim = claim_.load(std::memory_order_acquire);
  }
  return finished != 0;
}

void Team::Close(uint32_t ranges) {
  const auto finished = [&] { return done_.load(std::memory_order_acquire) == ranges; };
  if (finished() || Spin(kWaitNs, finished)) return;
  caller_asleep_.store(1, std::memory_order_seq_cst);
  while (true) {
    const uint32_t done = done_.load(std::memory_order_seq_cst);
    if (done == ranges) break;
    FutexWait(done_, done);
  }
  caller_asleep_.store(0, kRelaxed);
}

}  // namespace waybill::parallel_internal
