#include "parallel/pool/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/math/denormals.h"

namespace waybill {
namespace {

// Every task exactly once.
void ExpectCovers(ThreadPool* pool, size_t tasks, size_t width) {
  std::vector<std::atomic<int>> hits(tasks);
  ParallelFor(pool, tasks, width, [&](size_t begin, size_t end) {
    ASSERT_LT(begin, end);
    ASSERT_LE(end, tasks);
    for (size_t i = begin; i < end; ++i) ++hits[i];
  });
  for (size_t i = 0; i < tasks; ++i) ASSERT_EQ(hits[i], 1) << i << " of " << tasks;
}

// Looks until it sees as many as before: a thread that was joined is listed a little longer.
size_t ThreadsOfProcess() {
  for (std::ptrdiff_t seen = 0;;) {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    const std::ptrdiff_t count = std::distance(begin(tasks), end(tasks));
    if (count == seen) return static_cast<size_t>(count);
    seen = count;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(ThreadPool, AllTreatDenormalsAsTheCallerDoes) {
  if (!kDenormalsCanBeZero) GTEST_SKIP();
  const auto pool = MakeThreadPool(4);
  for (const bool zero : {true, false, true}) {
    const DenormalScope scope(zero);
    std::atomic<size_t> others{0};
    for (int round = 0; round < 20; ++round) {
      ParallelFor(pool.get(), 64, 4, [&](size_t, size_t) {
        if (DenormalsAreZero() != zero) ++others;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      });
    }
    EXPECT_EQ(others, 0u) << zero;
  }
  EXPECT_FALSE(DenormalsAreZero());
}

TEST(ThreadPool, CoversEveryTaskOnce) {
  for (const size_t threads : {0, 1, 2, 5}) {
    const auto pool = MakeThreadPool(threads);
    for (const size_t tasks : {0, 1, 2, 3, 7, 8, 9, 100, 1001}) {
      for (const size_t width : {0, 1, 2, 3, 5, 50}) ExpectCovers(pool.get(), tasks, width);
    }
  }
  ExpectCovers(nullptr, 10, 4);
}

TEST(ThreadPool, HugeTaskCountsDoNotWrap) {
  const auto pool = MakeThreadPool(4);
  std::atomic<size_t> sum{0};
  ParallelFor(pool.get(), SIZE_MAX, 4, [&](size_t begin, size_t end) { sum += end - begin; });
  EXPECT_EQ(sum, SIZE_MAX);
}

TEST(ThreadPool, UsesSeveralThreadsButNotMoreThanAsked) {
  const auto pool = MakeThreadPool(4);
  for (const size_t width : {size_t{2}, size_t{4}}) {
    std::mutex mutex;
    std::set<std::thread::id> ids;
    ParallelFor(pool.get(), 64, width, [&](size_t, size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
    EXPECT_GT(ids.size(), 1u);
    EXPECT_LE(ids.size(), width);
  }
}

TEST(ThreadPool, NestedCallsRunInline) {
  const auto pool = MakeThreadPool(3);
  std::atomic<int> inner{0};
  ParallelFor(pool.get(), 12, 3, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto me = std::this_thread::get_id();
      ParallelFor(pool.get(), 5, 3, [&](size_t b, size_t e) {
        EXPECT_EQ(std::this_thread::get_id(), me);
        inner += static_cast<int>(e - b);
      });
    }
  });
  EXPECT_EQ(inner, 60);
}

TEST(ThreadPool, ManyCallersAtOnce) {
  const auto pool = MakeThreadPool(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) ExpectCovers(pool.get(), 37, 3);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, ExceptionsReachTheCallerOnly) {
  const auto pool = MakeThreadPool(3);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(ParallelFor(pool.get(), 30, 3,
                             [](size_t, size_t) { throw std::runtime_error("from a task"); }),
                 std::runtime_error);
    ExpectCovers(pool.get(), 30, 3);
  }
}

TEST(ThreadPool, StatusOfTheLowestRangeWins) {
  const auto pool = MakeThreadPool(4);
  for (int round = 0; round < 50; ++round) {
    const Status status = ParallelForStatus(pool.get(), 64, 4, [](size_t begin, size_t) {
      return begin >= 20 ? Error(Code::kFail, "range {}", begin) : Status();
    });
    EXPECT_EQ(status.message(), "range 20");
  }
  EXPECT_TRUE(ParallelForStatus(pool.get(), 8, 4, [](size_t, size_t) { return Status(); }).ok());
}

TEST(ThreadPool, ThreadsComeWithUseAndEndWithTheLastOwner) {
  const size_t before = ThreadsOfProcess();
  auto pool = MakeThreadPool(4);
  auto second_owner = pool;
  EXPECT_EQ(ThreadsOfProcess(), before);
  ExpectCovers(pool.get(), 100, 4);
  EXPECT_EQ(ThreadsOfProcess(), before + 3);
  pool.reset();
  EXPECT_EQ(ThreadsOfProcess(), before + 3);
  second_owner.reset();
  EXPECT_EQ(ThreadsOfProcess(), before);
}

TEST(ThreadPool, IdleThreadsBurnNoCpu) {
  const auto pool = MakeThreadPool(4);
  ExpectCovers(pool.get(), 100, 4);
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 50);
}

TEST(ThreadPool, AForkedChildGetsItsOwnThreads) {
  const auto pool = MakeThreadPool(3);
  ExpectCovers(pool.get(), 100, 3);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<size_t> sum{0};
    ParallelFor(pool.get(), 1000, 3, [&](size_t begin, size_t end) { sum += end - begin; });
    _exit(sum == 1000 && ThreadsOfProcess() == 3 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ExpectCovers(pool.get(), 100, 3);
}

}  // namespace
}  // namespace waybill
