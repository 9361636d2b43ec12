#include "parallel/pool/lease.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace waybill {
namespace {

using std::chrono::milliseconds;

// Adds up what the tasks wrote; wrong when one was left out or done twice.
size_t SumOfTasks(ThreadPool& pool, size_t tasks, size_t width, std::vector<size_t>& values) {
  values.assign(tasks, 0);
  ParallelFor(&pool, tasks, width, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) values[i] += i + 1;
  });
  size_t sum = 0;
  for (const size_t value : values) sum += value;
  return sum;
}

std::set<std::thread::id> ThreadsOfRegion(ThreadPool& pool, size_t width) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  ParallelFor(&pool, 4 * width, width, [&](size_t, size_t) {
    std::this_thread::sleep_for(milliseconds(2));
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  return ids;
}

TEST(PoolLease, RegionAfterRegion) {
  const auto pool = MakeThreadPool(4);
  std::vector<size_t> values;
  for (const size_t width : {1, 2, 3, 4, 9}) {
    PoolLease lease(pool.get(), width);
    EXPECT_EQ(lease.max_width(), std::min<size_t>(width, 4));
    for (size_t round = 0; round < 3000; ++round) {
      const size_t tasks = 1 + round % 23;
      ASSERT_EQ(SumOfTasks(lease, tasks, 1 + round % 5, values), tasks * (tasks + 1) / 2);
    }
  }
}

TEST(PoolLease, WithoutAPoolTheCallerWorks) {
  PoolLease lease(nullptr, 8);
  EXPECT_EQ(lease.max_width(), 1u);
  EXPECT_EQ(ThreadsOfRegion(lease, 4), std::set{std::this_thread::get_id()});
}

TEST(PoolLease, WakesThreadsThatWentToSleep) {
  const auto pool = MakeThreadPool(3);
  PoolLease lease(pool.get(), 3);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(ThreadsOfRegion(lease, 3).size(), 3u);
    std::this_thread::sleep_for(milliseconds(3));  // far longer than they spin
  }
}

TEST(PoolLease, KeepsItsThreadsAndGivesThemBack) {
  const auto pool = MakeThreadPool(3);
  {
    PoolLease first(pool.get(), 3);
    EXPECT_EQ(ThreadsOfRegion(first, 3).size(), 3u);
    PoolLease second(pool.get(), 3);
    EXPECT_EQ(ThreadsOfRegion(second, 3).size(), 1u) << "all threads are with the first";
    EXPECT_EQ(ThreadsOfRegion(first, 3).size(), 3u);
  }
  PoolLease third(pool.get(), 3);
  EXPECT_EQ(ThreadsOfRegion(third, 3).size(), 3u);
}

TEST(PoolLease, CallersCountAsThreadsAtWork) {
  const auto pool = MakeThreadPool(3);
  PoolLease first(pool.get(), 2), second(pool.get(), 3);
  EXPECT_EQ(ThreadsOfRegion(first, 2).size(), 2u);
  EXPECT_EQ(ThreadsOfRegion(second, 3).size(), 1u) << "two callers and one helper are three";
}

TEST(PoolLease, CallsFromInsideATaskRunInline) {
  const auto pool = MakeThreadPool(5);
  PoolLease lease(pool.get(), 3);
  std::atomic<int> inner{0};
  for (int round = 0; round < 50; ++round) {
    ParallelFor(&lease, 12, 3, [&](size_t begin, size_t end) {
      const auto me = std::this_thread::get_id();
      for (size_t i = begin; i < end; ++i) {
        ParallelFor(&lease, 5, 3, [&](size_t b, size_t e) {
          EXPECT_EQ(std::this_thread::get_id(), me);
          inner += static_cast<int>(e - b);
        });
      }
    });
  }
  EXPECT_EQ(inner, 50 * 60);
}

TEST(PoolLease, ManyRunsAtOnce) {
  const auto pool = MakeThreadPool(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 5; ++i) {
    callers.emplace_back([&] {
      std::vector<size_t> values;
      for (int run = 0; run < 100; ++run) {
        PoolLease lease(pool.get(), 3);
        for (size_t tasks = 1; tasks < 20; ++tasks) {
          ASSERT_EQ(SumOfTasks(lease, tasks, 3, values), tasks * (tasks + 1) / 2);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(PoolLease, HeldThreadsSleepBetweenRegionsAndAfter) {
  const auto pool = MakeThreadPool(4);
  const auto idle_cpu = [] {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(milliseconds(60));
    return std::clock() - before;
  };
  {
    PoolLease lease(pool.get(), 4);
    ThreadsOfRegion(lease, 4);
    EXPECT_LT(idle_cpu(), CLOCKS_PER_SEC / 50);
  }
  EXPECT_LT(idle_cpu(), CLOCKS_PER_SEC / 50);
}

}  // namespace
}  // namespace waybill
