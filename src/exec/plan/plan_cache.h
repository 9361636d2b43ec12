// Plans by exact shape key, bounded in number and bytes, the least recently used given up first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/thread/sharded.h"
#include "exec/plan/plan_bytes.h"

namespace waybill::exec {

struct Plan;

struct PlanCacheLimits {
  size_t max_plans = 1024;
  std::optional<size_t> max_bytes;  // none: as PlanBytes says
};

struct PlanCacheStats {
  uint64_t hits = 0, misses = 0, evictions = 0;
  size_t plans = 0, bytes = 0;
};

// A key is a list of numbers (width, types and shapes of all inputs and captures), compared in
// full. The plan that came last stays whatever it weighs, else every run would plan anew.
// Thread-safe; a hit takes no heap memory.
class PlanCache {
 public:
  // `bytes` is counted up and down and has the limit; it may be that of other caches too.
  PlanCache(size_t max_plans, std::shared_ptr<PlanBytes> bytes)
      : max_plans_(max_plans), bytes_(std::move(bytes)) {}
  ~PlanCache() { bytes_->used -= stats_.bytes; }

  // Null, and counted as a miss, when there is none.
  std::shared_ptr<const Plan> Find(std::span<const int64_t> key);
  // A plan that was found before and not given up since is used again, without a look. As long as
  // no other plan is looked for, that writes nothing that other threads read.
  void CountHit(const Plan& plan) noexcept;
  // Keeps `plan`, which holds `bytes` of heap, or returns the one that another thread put there
  // first.
  std::shared_ptr<const Plan> Insert(std::span<const int64_t> key, std::shared_ptr<const Plan> plan,
                                     size_t bytes);
  // Gives up all plans, counted as evictions; those that runs use go with their last run.
  void Clear() noexcept;
  // Of the plans whose keys begin with `key` and go on: the one used last, and before it those
  // whose keys its own begins with, the shortest key first.
  std::vector<std::shared_ptr<const Plan>> ChainAfter(std::span<const int64_t> key) const;
  // The key that the plan is kept by; empty where it is not kept.
  std::vector<int64_t> KeyOf(const Plan& plan) const;
  // The plan used last; null where there is none.
  std::shared_ptr<const Plan> Latest() const;
  PlanCacheStats Stats() const;

 private:
  struct Entry {
    std::vector<int64_t> key;
    uint64_t hash[2];
    std::shared_ptr<const Plan> plan;
    size_t bytes;
  };
  using Entries = std::list<Entry>;

  // With mutex_ held:
  Entries::iterator Locate(std::span<const int64_t> key, const uint64_t (&hash)[2]);
  void EvictOldest();
  void Touch(const Plan& plan) noexcept;
  static void GiveUp(const Plan& plan) noexcept;

  const size_t max_plans_;
  const std::shared_ptr<PlanBytes> bytes_;
  mutable std::mutex mutex_;
  Entries entries_;  // most recently found first
  std::unordered_multimap<uint64_t, Entries::iterator> by_hash_;
  PlanCacheStats stats_;  // all hits but the repeats
  Sharded<std::atomic<uint64_t>> repeats_;
  std::atomic<uint64_t> looks_{0};  // that found or kept a plan; written with mutex_ held
};

}  // namespace waybill::exec
