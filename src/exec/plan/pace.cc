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

bool Pace::UseThreads(uint32_t& number) {
  if (is_long_.load(kRelaxed)) return true;
  number = runs_.fetch_add(1, kRelaxed) % kPeriod;
  if (number == 0) {
    alone_ns_.store(kNever, kRelaxed);
    together_ns_.store(kNever, kRelaxed);
  }
  return number < kTrials ? number % 2 == 0 : !alone_.load(kRelaxed);
}

void Pace::Finish(uint32_t number, bool used_threads, Duration took) {
  if (is_long_.load(kRelaxed)) return;
  // The very first run also pays for pages that nobody has touched.
  if (used_threads && took > (number == 0 ? 10 * kLong : kLong)) {
    is_long_.store(true, kRelaxed);
    return;
  }
  if (number >= kTrials) return;
  Keep(used_threads ? together_ns_ : alone_ns_, took.count());
  if (number + 1 < kTrials) return;
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
