#include "parallel/pool/item_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill {
namespace {

TEST(ItemQueue, EveryItemOnceForAnyNumberOfTasks) {
  const auto pool = MakeThreadPool(4);
  for (const size_t tasks : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{4}, size_t{100}}) {
    for (const size_t items : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{1000}}) {
      SCOPED_TRACE(std::to_string(items) + " items for " + std::to_string(tasks));
      ItemQueue queue(items, tasks);
      std::vector<std::atomic<int>> seen(items);
      ParallelFor(pool.get(), std::max<size_t>(tasks, 1), 4, [&](size_t begin, size_t end) {
        for (size_t task = begin; task < end; ++task) {
          for (size_t item; queue.Next(task, item);) ++seen[item];
        }
      });
      for (const auto& times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ItemQueue, ATaskTakesItsOwnShareFirst) {
  ItemQueue queue(8, 2);
  std::vector<size_t> got;
  for (size_t item; got.size() < 5 && queue.Next(1, item);) got.push_back(item);
  EXPECT_EQ(got, (std::vector<size_t>{4, 5, 6, 7, 0}));
}

TEST(ThreadsFor, BetweenOneAndTheWidth) {
  EXPECT_EQ(ThreadsFor(0.0, 4), 1u);
  EXPECT_EQ(ThreadsFor(9999.0, 4), 1u);
  EXPECT_EQ(ThreadsFor(10000.0, 4), 2u);
  EXPECT_EQ(ThreadsFor(1e30, 4), 4u);
  EXPECT_EQ(ThreadsFor(1e30, 0), 1u);
  EXPECT_EQ(ThreadsFor(size_t{20000}, 0.5, 8), 2u);
}

}  // namespace
}  // namespace waybill
