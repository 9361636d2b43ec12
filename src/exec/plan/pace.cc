#include "exec/plan/pace.h"

#include <limits>

namespace waybill::exec {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// The first runs of every period are trials, in turns with threads and without.
constexpr uint32_t kPeriod = 1024;
constexpr uint32_t kTrials = 8;
// Runs that take longer gain from threads; trying them alone would be felt.
constexpr Pace::Duration kLong = std::chrono::milliseconds(4);
// Of the time of a run alone: more than this is not worth the others' time.
constexpr double kWorth = 0.7;

}  // namespace

bool Pace::UseThreads(uint32_t& trial) {
  trial = kNoTrial;
  if (is_long_.load(kRelaxed)) return true;
  const uint32_t number = runs_.fetch_add(1, kRelaxed) % kPeriod;
  if (number >= kTrials) return !alone_.load(kRelaxed);
  if (number == 0) {
    alone_ns_.store(kNever, kRelaxed);
    together_ns_.store(kNever, kRelaxed);
  }
  trial = number;
  return number % 2 == 0;
}

void Pace::Finish(uint32_t trial, bool used_threads, Duration took) {
  // The very first run also pays for pages that nobody has touched.
  if (used_threads && took > (trial == 0 ? 10 * kLong : kLong)) {
    is_long_.store(true, kRelaxed);
    return;
  }
  Keep(used_threads ? together_ns_ : alone_ns_, took.count());
  if (trial + 1 < kTrials) return;
  const auto alone = static_cast<double>(alone_ns_.load(kRelaxed));
  const auto together = static_cast<double>(together_ns_.load(kRelaxed));
  alone_.store(together > kWorth * alone, kRelaxed);
}

void Pace::Keep(std::atomic<int64_t>& least, int64_t ns) {
  int64_t known = least.load(kRelaxed);
  while (ns < known && !least.compare_exchange_weak(known, ns, kRelaxed)) {
  }
}

}  // namespace waybill::exec
