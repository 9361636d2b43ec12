// Pace: whether the runs of a plan use their threads or go alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace waybill::exec {

// Waking threads takes their caller some fifteen microseconds and a tensor that two threads write
// moves between their caches, so that for small models several threads bring little but burn as
// much as they are. What pays depends on the machine and its other load: a few of every thousand
// short runs try both. Long runs always use their threads. Results do not depend on it.
// Thread-safe; no member blocks.
class Pace {
 public:
  using Duration = std::chrono::nanoseconds;

  static constexpr uint32_t kNoTrial = UINT32_MAX;

  // For a run that begins. A trial is timed and told to Finish by its number; other runs look at no
  // clock and get kNoTrial.
  bool UseThreads(uint32_t& trial);
  void Finish(uint32_t trial, bool used_threads, Duration took);

 private:
  static void Keep(std::atomic<int64_t>& least, int64_t ns);

  std::atomic<uint32_t> runs_{0};
  std::atomic<int64_t> alone_ns_, together_ns_;  // the least of this period's trials
  std::atomic<bool> alone_{false};
  std::atomic<bool> is_long_{false};
};

}  // namespace waybill::exec
