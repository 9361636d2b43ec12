// Plans by exact shape key, the least recently used given up first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace waybill::exec {

struct Plan;

struct PlanCacheStats {
  uint64_t hits = 0, misses = 0, evictions = 0;
  size_t plans = 0;
};

// A key is a list of numbers (width, types and shapes of all inputs and captures), compared in
// full. Thread-safe; a hit takes no heap memory.
class PlanCache {
 public:
  explicit PlanCache(size_t max_plans) : max_plans_(max_plans) {}

  // Null, and counted as a miss, when there is none.
  std::shared_ptr<const Plan> Find(std::span<const int64_t> key);
  // Keeps `plan`, or returns the one that another thread put there first.
  std::shared_ptr<const Plan> Insert(std::span<const int64_t> key,
                                     std::shared_ptr<const Plan> plan);
  // The plan used last; null before the first.
  std::shared_ptr<const Plan> Latest() const;
  PlanCacheStats Stats() const;

 private:
  struct Entry {
    std::vector<int64_t> key;
    uint64_t hash[2];
    std::shared_ptr<const Plan> plan;
  };
  using Entries = std::list<Entry>;

  Entries::iterator Locate(std::span<const int64_t> key, const uint64_t (&hash)[2]);

  const size_t max_plans_;
  mutable std::mutex mutex_;
  Entries entries_;  // most recently used first
  std::unordered_multimap<uint64_t, Entries::iterator> by_hash_;
  PlanCacheStats stats_;
};

}  // namespace waybill::exec
