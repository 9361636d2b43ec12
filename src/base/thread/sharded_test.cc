#include "base/thread/sharded.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "base/thread/share.h"

namespace waybill {
namespace {

TEST(Sharded, CountsOfAllThreadsAddUp) {
  Sharded<std::atomic<uint64_t>> counters;
  std::vector<std::thread> threads;
  for (int t = 0; t < 40; ++t) {  // more than there are shards
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) counters.Mine().fetch_add(1, std::memory_order_relaxed);
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t sum = 0;
  counters.ForEach([&](const auto& counter) { sum += counter.load(); });
  EXPECT_EQ(sum, 40'000u);
}

TEST(Sharded, ThreadsThatStartTogetherHaveACopyEach) {
  Sharded<int, 4> copies;
  std::set<const int*> seen;
  for (int t = 0; t < 4; ++t) {
    std::thread([&] {
      seen.insert(&copies.Mine());
      EXPECT_EQ(&copies.Mine(), *seen.find(&copies.Mine()));
    }).join();
  }
  EXPECT_EQ(seen.size(), 4u);
  for (const int* copy : seen) EXPECT_EQ(reinterpret_cast<uintptr_t>(copy) % 64, 0u);
}

TEST(ShareByThread, KeepsTheObjectWhileSomebodyHasIt) {
  auto object = std::make_shared<int>(7);
  const std::weak_ptr<int> weak = object;
  std::shared_ptr<int> taken, other;
  {
    const ShareByThread<int> share(object);
    object.reset();
    taken = share.Take();
    std::thread([&] { other = share.Take(); }).join();
  }
  EXPECT_EQ(*taken, 7);
  EXPECT_EQ(taken, other);
  taken.reset();
  EXPECT_FALSE(weak.expired());
  other.reset();
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace waybill
