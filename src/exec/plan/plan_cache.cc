#include "exec/plan/plan_cache.h"

#include <algorithm>
#include <utility>

#include "exec/plan/plan.h"

namespace waybill::exec {

namespace {

uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xE9846AF9B1A615DULL;
  x ^= x >> 32;
  x *= 0xE9846AF9B1A615DULL;
  x ^= x >> 28;
  return x;
}

void HashKey(std::span<const int64_t> key, uint64_t (&hash)[2]) {
  hash[0] = 0x9E3779B97F4A7C15ULL + key.size();
  hash[1] = 0xC2B2AE3D27D4EB4FULL ^ key.size();
  for (const int64_t word : key) {
    hash[0] = Mix(hash[0] ^ static_cast<uint64_t>(word));
    hash[1] = Mix(hash[1] + static_cast<uint64_t>(word) * 0x9E3779B97F4A7C15ULL);
  }
}

}  // namespace

PlanCache::Entries::iterator PlanCache::Locate(std::span<const int64_t> key,
                                               const uint64_t (&hash)[2]) {
  const auto [first, last] = by_hash_.equal_range(hash[0]);
  for (auto it = first; it != last; ++it) {
    const Entry& entry = *it->second;
    if (entry.hash[1] == hash[1] &&
        std::equal(entry.key.begin(), entry.key.end(), key.begin(), key.end())) {
      return it->second;
    }
  }
  return entries_.end();
}

std::shared_ptr<const Plan> PlanCache::Find(std::span<const int64_t> key) {
  uint64_t hash[2];
  HashKey(key, hash);
  const std::lock_guard lock(mutex_);
  const auto found = Locate(key, hash);
  if (found == entries_.end()) {
    ++stats_.misses;
    return nullptr;
  }
  ++stats_.hits;
  entries_.splice(entries_.begin(), entries_, found);
  Touch(*found->plan);
  return found->plan;
}

void PlanCache::GiveUp(const Plan& plan) noexcept {
  plan.given_up.store(true, std::memory_order_relaxed);
}

void PlanCache::Touch(const Plan& plan) noexcept {
  const uint64_t look = looks_.load(std::memory_order_relaxed) + 1;
  looks_.store(look, std::memory_order_relaxed);
  plan.used_at.store(2 * look, std::memory_order_relaxed);
}

void PlanCache::CountHit(const Plan& plan) noexcept {
  repeats_.Mine().fetch_add(1, std::memory_order_relaxed);
  // After the last look, before the next.
  const uint64_t now = 2 * looks_.load(std::memory_order_relaxed) + 1;
  if (plan.used_at.load(std::memory_order_relaxed) < now) {
    plan.used_at.store(now, std::memory_order_relaxed);
  }
}

namespace {

constexpr auto kUsedBefore = [](const auto& a, const auto& b) {
  return a.plan->used_at.load(std::memory_order_relaxed) <
         b.plan->used_at.load(std::memory_order_relaxed);
};

}  // namespace

void PlanCache::EvictOldest() {
  const auto oldest = std::min_element(entries_.begin(), entries_.end(), kUsedBefore);
  GiveUp(*oldest->plan);
  const auto [first, last] = by_hash_.equal_range(oldest->hash[0]);
  by_hash_.erase(std::find_if(first, last, [&](const auto& e) { return e.second == oldest; }));
  stats_.bytes -= oldest->bytes;
  bytes_->used -= oldest->bytes;
  entries_.erase(oldest);
  ++stats_.evictions;
}

std::shared_ptr<const Plan> PlanCache::Insert(std::span<const int64_t> key,
                                              std::shared_ptr<const Plan> plan, size_t bytes) {
  bytes += sizeof(Entry) + key.size_bytes();
  uint64_t hash[2];
  HashKey(key, hash);
  const std::lock_guard lock(mutex_);
  if (const auto found = Locate(key, hash); found != entries_.end()) return found->plan;
  if (max_plans_ == 0) {
    GiveUp(*plan);
    return plan;
  }
  bytes_->Note(bytes, plan->lease_bytes());
  const size_t max_bytes = bytes_->Limit();
  const auto is_full = [&] {
    const size_t used = bytes_->used;
    return entries_.size() >= max_plans_ || used > max_bytes || bytes > max_bytes - used;
  };
  while (!entries_.empty() && is_full()) EvictOldest();
  // Both or neither, wherever memory ends: every entry is found by its hash.
  Entries fresh;
  fresh.push_front({{key.begin(), key.end()}, {hash[0], hash[1]}, plan, bytes});
  by_hash_.emplace(hash[0], fresh.begin());
  entries_.splice(entries_.begin(), fresh);
  Touch(*plan);
  stats_.bytes += bytes;
  bytes_->used += bytes;
  return plan;
}

void PlanCache::Clear() noexcept {
  Entries old;  // freed when nobody has to wait for it
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) GiveUp(*entry.plan);
  stats_.evictions += entries_.size();
  bytes_->used -= std::exchange(stats_.bytes, 0);
  bytes_->Forget();
  by_hash_.clear();
  old.swap(entries_);
}

std::vector<std::shared_ptr<const Plan>> PlanCache::ChainAfter(std::span<const int64_t> key) const {
  const auto begins_with = [](std::span<const int64_t> all, std::span<const int64_t> begin) {
    return all.size() >= begin.size() && std::equal(begin.begin(), begin.end(), all.begin());
  };
  const std::lock_guard lock(mutex_);
  std::vector<const Entry*> chain;
  for (const Entry& entry : entries_) {
    const bool is_tail = entry.key.size() > key.size() && begins_with(entry.key, key);
    if (is_tail && (chain.empty() || begins_with(chain.front()->key, entry.key))) {
      chain.push_back(&entry);
    }
  }
  std::sort(chain.begin(), chain.end(),
            [](const Entry* a, const Entry* b) { return a->key.size() < b->key.size(); });
  std::vector<std::shared_ptr<const Plan>> plans;
  for (const Entry* entry : chain) plans.push_back(entry->plan);
  return plans;
}

std::vector<int64_t> PlanCache::KeyOf(const Plan& plan) const {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const Entry& entry) { return entry.plan.get() == &plan; };
  const auto found = std::find_if(entries_.begin(), entries_.end(), is_it);
  return found == entries_.end() ? std::vector<int64_t>() : found->key;
}

std::shared_ptr<const Plan> PlanCache::Latest() const {
  const std::lock_guard lock(mutex_);
  const auto last = std::max_element(entries_.begin(), entries_.end(), kUsedBefore);
  return last == entries_.end() ? nullptr : last->plan;
}

PlanCacheStats PlanCache::Stats() const {
  const std::lock_guard lock(mutex_);
  PlanCacheStats stats = stats_;
  stats.plans = entries_.size();
  repeats_.ForEach([&](const auto& repeats) { stats.hits += repeats.load(); });
  return stats;
}

}  // namespace waybill::exec
