#include "memory/source/slab_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"
#include "memory/buffer/buffer.h"
#include "memory/source/idle_timer.h"
#include "memory/source/lease.h"
#include "memory/source/page_source.h"

namespace waybill {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::shared_ptr<SlabPool> NewPool(int64_t idle_trim_ms = 0) {
  return std::make_shared<SlabPool>(std::make_shared<PageSource>(),
                                    SlabPoolOptions{.idle_trim_ms = idle_trim_ms});
}

Buffer Lease(const std::shared_ptr<SlabPool>& pool, size_t bytes) {
  auto lease = Buffer::Allocate(pool, bytes, kBlockAlign, MemoryTag::kSlab);
  EXPECT_TRUE(lease.ok()) << lease.status().ToString();
  return lease.ok() ? std::move(*lease) : Buffer();
}

template <typename Condition>
bool Within(milliseconds limit, Condition&& condition) {
  const auto end = steady_clock::now() + limit;
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

// Holds every Take while the gate is shut.
class GatedSource : public MemorySource {
 public:
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    --waiting_;
    return pages_.Take(bytes, align, tag);
  }
  void Give(BufferView block, MemoryTag tag) noexcept override { pages_.Give(block, tag); }
  Device device() const override { return {}; }

  void Open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  void AwaitTaker() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }

 private:
  PageSource pages_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int waiting_ = 0;
};

// A thread that stands within the pool, its lock held, keeps nobody from a warm slab.
TEST(SlabPool, WarmLeasesTakeNoLock) {
  const auto gate = std::make_shared<GatedSource>();
  const auto pool = std::make_shared<SlabPool>(gate);
  std::thread other;
  std::byte* outer = nullptr;
  {
    const Buffer held = Lease(pool, 3 << 20);
    const Buffer inner = Lease(pool, 100 << 10);  // of a run within the run
    outer = held.view().data;
    gate->Open(false);
    other = std::thread([&] { Lease(pool, 8 << 20); });
    gate->AwaitTaker();
  }
  for (int run = 0; run < 100; ++run) {
    const Buffer slab = Lease(pool, 3 << 20);
    EXPECT_EQ(slab.view().data, outer);
    Lease(pool, 100 << 10);
  }
  gate->Open(true);
  other.join();
  EXPECT_EQ(pool->Stats().misses, 3u);
}

TEST(SlabPool, CommitsExactlyWhatPlansNeed) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const auto pool = NewPool();
    const size_t plan = 1 + random() % (size_t{1} << (10 + random() % 16));
    Lease(pool, plan);
    const size_t held = pool->Stats().bytes_held;
    EXPECT_GE(held, plan);
    EXPECT_LE(held, plan + slab_internal::SlackBytes(plan)) << plan;
  }
}

TEST(SlabPool, IdleSlabsGoBack) {
  const auto pool = NewPool(40);
  for (int round = 0; round < 2; ++round) {
    Lease(pool, 5 << 20);
    EXPECT_EQ(pool->Stats().bytes_held, size_t{5} << 20);
    EXPECT_TRUE(Within(milliseconds(5000), [&] { return pool->Stats().bytes_held == 0; }));
  }
  EXPECT_EQ(pool->Stats().trims, 2u);
}

TEST(SlabPool, LeasedSlabsAreNeverTrimmed) {
  const auto pool = NewPool(4);
  const Buffer held = Lease(pool, 1 << 20);
  held.view().data[0] = std::byte{7};
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(pool->Trim(0), 0u);
  EXPECT_EQ(held.view().data[0], std::byte{7});
  EXPECT_EQ(pool->Stats().bytes_leased, size_t{1} << 20);
}

// Small runs do not keep the slab of a large plan that is not used any more.
TEST(SlabPool, FollowsPlansThatShrink) {
  const auto pool = NewPool(40);
  Lease(pool, 20 << 20);
  const size_t small = 1 << 20;
  EXPECT_TRUE(Within(milliseconds(5000), [&] {
    Lease(pool, small);
    return pool->Stats().bytes_held <= small + (256 << 10);
  })) << pool->Stats().bytes_held;
}

// The time is that since the slab was last needed, and can be changed at any time.
TEST(SlabPool, IdleTimeIsASetting) {
  const auto pool = NewPool(0);
  Lease(pool, 1 << 20);
  pool->SetIdleTrim(3600'000);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(pool->Stats().bytes_held, size_t{1} << 20);
  pool->SetIdleTrim(8);
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return pool->Stats().bytes_held == 0; }));
  pool->SetIdleTrim(0);
  Lease(pool, 1 << 20);
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(pool->Stats().bytes_held, size_t{1} << 20);
}

// Also one beyond the range of the clock.
TEST(SlabPool, IdleTimesAreAsLongAsWanted) {
  const auto pool = NewPool(0);
  for (const int64_t idle_ms : {INT64_MAX, INT64_MAX / 1'000'000, int64_t{1} << 43}) {
    pool->SetIdleTrim(idle_ms);
    Lease(pool, 1 << 20);
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(pool->Stats().bytes_held, size_t{1} << 20) << idle_ms;
  }
  std::atomic<int> ticks{0};
  IdleTimer timer(milliseconds(10'000'000'000'000), [&] { return ++ticks != 0; });
  timer.Arm();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(ticks, 0);
}

TEST(SlabPool, IdlePoolsCostNoTime) {
  const auto pool = NewPool(100);
  Lease(pool, 1 << 20);
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(milliseconds(400));
  const double ms = 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(ms, 20);
}

TEST(SlabPool, AForkedChildLeasesAndTrims) {
  const auto pool = NewPool(20);
  Lease(pool, 1 << 20);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Lease(pool, 2 << 20);
    const bool trimmed = Within(milliseconds(5000), [&] { return pool->Stats().bytes_held == 0; });
    _exit(trimmed ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(SlabPool, CountsAreExactUnderThreads) {
  const auto pool = NewPool();
  constexpr size_t kThreads = 8, kRuns = 2000;
  std::atomic<uint64_t> requested{0};
  std::vector<std::thread> threads;
  for (size_t id = 0; id < kThreads; ++id) {
    threads.emplace_back([&, id] {
      std::mt19937 random(static_cast<uint32_t>(id));
      for (size_t run = 0; run < kRuns; ++run) {
        const size_t bytes = 1 + random() % 100'000;
        const Buffer lease = Lease(pool, bytes);
        requested += AlignUp(bytes, SlabPool::GranuleBytes());
        if (run % 500 == 499) pool->Trim(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const SlabPoolStats stats = pool->Stats();
  EXPECT_EQ(stats.hits + stats.misses, kThreads * kRuns);
  EXPECT_EQ(stats.requested_bytes(), requested);
  EXPECT_EQ(stats.refusals, 0u);
  EXPECT_EQ(stats.bytes_leased, 0u);
  EXPECT_EQ(stats.leased_slabs, 0u);
  EXPECT_EQ(stats.misses - stats.trims, stats.idle_slabs);
  EXPECT_GT(stats.hit_rate(), 0.5);
  EXPECT_LE(stats.peak_bytes_leased, stats.peak_bytes_held);
  EXPECT_LE(stats.peak_bytes_leased, kThreads * AlignUp(100'000, SlabPool::GranuleBytes()));
}

TEST(SlabPool, SaysWhatWasReused) {
  const auto pool = NewPool();
  const size_t page = PageBytes();
  Lease(pool, 10 * page);
  Lease(pool, page);
  Lease(pool, 10 * page - 960);
  const SlabPoolStats stats = pool->Stats();
  EXPECT_EQ(stats.hits, 2u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.reused_bytes, 11 * page);
  EXPECT_EQ(stats.allocated_bytes, 10 * page);
  EXPECT_DOUBLE_EQ(stats.hit_rate(), 2.0 / 3);
  EXPECT_EQ(stats.bytes_idle(), 10 * page);
  EXPECT_EQ(stats.peak_bytes_leased, 10 * page);
}

TEST(Lease, GivesBackOnceWhereverItMoves) {
  const auto pool = NewPool();
  const size_t page = PageBytes();
  {
    waybill::Lease first, second;
    ASSERT_TRUE(first.Take(*pool, page, 64).ok());
    ASSERT_TRUE(second.Take(*pool, 2 * page, 64).ok());
    second = std::move(first);
    EXPECT_EQ(pool->Stats().bytes_leased, page);
    const waybill::Lease third = std::move(second);
    EXPECT_EQ(third.view().bytes, page);
    EXPECT_EQ(pool->Stats().leased_slabs, 1u);
    EXPECT_EQ(first.Take(*pool, SIZE_MAX, 64).code(), Code::kOutOfMemory);
  }
  EXPECT_EQ(pool->Stats().bytes_leased, 0u);
}

TEST(SlabPool, RefusesOtherDevicesAndStreams) {
  const auto pool = NewPool();
  const auto code = [&](const SlabRequest& request) {
    return pool->Lease(request).status().code();
  };
  EXPECT_EQ(code({4096, 64, {DeviceKind::kCuda, 0}, {}}), Code::kInvalidArgument);
  EXPECT_EQ(code({4096, 64, {}, {3}}), Code::kNotImplemented);
  EXPECT_EQ(pool->Stats().misses, 0u);
}

}  // namespace
}  // namespace waybill
