#include "memory/admission/admission.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "memory/buffer/buffer.h"
#include "memory/source/hub.h"

namespace waybill {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

AdmissionRequest Bytes(size_t slab_bytes, int64_t timeout_ms = -1) {
  AdmissionRequest request;
  request.slab_bytes = slab_bytes;
  request.timeout_ms = timeout_ms;
  return request;
}

AdmissionRequest OneOf(uint32_t max_inflight) {
  AdmissionRequest request;
  request.max_inflight = max_inflight;
  return request;
}

void Await(const Admission& admission, size_t waiting) {
  const auto end = Clock::now() + std::chrono::seconds(10);
  while (admission.Stats().waiting != waiting && Clock::now() < end) std::this_thread::yield();
  ASSERT_EQ(admission.Stats().waiting, waiting);
}

// Threads that enter one after the other, note their name when they may and leave at once.
class Arrivals {
 public:
  explicit Arrivals(Admission& admission) : admission_(admission) {}
  ~Arrivals() { Join(); }

  // Returns when the thread waits.
  void Add(const std::string& name, const AdmissionRequest& request) {
    const size_t before = admission_.Stats().waiting;
    threads_.emplace_back([this, name, request] {
      AdmissionTicket ticket;
      const Status status = admission_.Enter(request, ticket);
      const std::lock_guard lock(mutex_);
      order_ += status.ok() ? name : "!" + name;
    });
    Await(admission_, before + 1);
  }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::string order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  Admission& admission_;
  std::mutex mutex_;
  std::string order_;
  std::vector<std::thread> threads_;
};

TEST(Admission, WithoutLimitsNobodyWaits) {
  MemoryBudget budget;
  Admission admission(budget);
  AdmissionTicket ticket;
  EXPECT_TRUE(admission.Enter(Bytes(SIZE_MAX), ticket).ok());
  ticket.Release();
  ticket.Release();
  EXPECT_EQ(admission.Stats().admitted, 0u);
}

TEST(Admission, FirstComeFirstServedByCount) {
  MemoryBudget budget;
  Admission admission(budget);
  auto held = std::make_unique<AdmissionTicket>();
  ASSERT_TRUE(admission.Enter(OneOf(1), *held).ok());
  Arrivals arrivals(admission);
  for (const char* name : {"a", "b", "c", "d", "e"}) arrivals.Add(name, OneOf(1));
  EXPECT_EQ(arrivals.order(), "");
  held.reset();
  arrivals.Join();
  EXPECT_EQ(arrivals.order(), "abcde");
  const AdmissionStats stats = admission.Stats();
  EXPECT_EQ(stats.admitted, 6u);
  EXPECT_EQ(stats.waited, 5u);
  EXPECT_EQ(stats.peak_waiting, 5u);
  uint64_t waits = 0;
  for (const uint64_t count : stats.waits_by_log2_us) waits += count;
  EXPECT_EQ(waits, 5u);
}

TEST(Admission, FirstComeFirstServedByBytes) {
  MemoryBudget budget(100);
  Admission admission(budget);
  auto held = std::make_unique<AdmissionTicket>();
  ASSERT_TRUE(admission.Enter(Bytes(60), *held).ok());
  Arrivals arrivals(admission);
  for (const char* name : {"a", "b", "c"}) arrivals.Add(name, Bytes(60));
  held.reset();
  arrivals.Join();
  EXPECT_EQ(arrivals.order(), "abc");
}

// Small ones pass a large one that does not fit yet, but not for ever.
TEST(Admission, WaitersAge) {
  MemoryBudget budget(100);
  Admission admission(budget);
  auto held = std::make_unique<AdmissionTicket>();
  ASSERT_TRUE(admission.Enter(Bytes(50), *held).ok());
  Arrivals large(admission);
  large.Add("L", Bytes(90));
  for (uint32_t i = 0; i < Admission::kMaxPassed; ++i) {
    std::thread([&] {
      AdmissionTicket small;
      EXPECT_TRUE(admission.Enter(Bytes(20), small).ok());
    }).join();
  }
  std::thread([&] {
    AdmissionTicket small;
    const Status refused = admission.Enter(Bytes(20, 0), small);
    EXPECT_EQ(refused.code(), Code::kOutOfMemory);
  }).join();
  EXPECT_EQ(large.order(), "");
  held.reset();
  large.Join();
  EXPECT_EQ(large.order(), "L");
}

// What needs bytes alone takes nothing from those that wait for a place.
TEST(Admission, BytesAreThereForWhoNeedsNoPlace) {
  MemoryBudget budget(100);
  Admission admission(budget);
  auto held = std::make_unique<AdmissionTicket>();
  AdmissionRequest run = Bytes(10);
  run.max_inflight = 1;
  ASSERT_TRUE(admission.Enter(run, *held).ok());
  Arrivals arrivals(admission);
  arrivals.Add("a", run);
  arrivals.Add("b", run);
  std::thread([&] {
    for (uint32_t i = 0; i < 3 * Admission::kMaxPassed; ++i) {
      AdmissionTicket load;
      EXPECT_TRUE(admission.Enter(Bytes(20, 0), load).ok()) << i;
    }
  }).join();
  held.reset();
  arrivals.Join();
  EXPECT_EQ(arrivals.order(), "ab");
}

TEST(Admission, WhoIsAtWorkMayAskForMore) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionTicket first, second;
  ASSERT_TRUE(admission.Enter(Bytes(0), first).ok());
  std::thread([&] {
    ASSERT_TRUE(admission.Enter(Bytes(30), second).ok());
    EXPECT_TRUE(admission.TryReserve(60, first));
    EXPECT_FALSE(admission.TryReserve(71, first));
    EXPECT_EQ(first.reserved_bytes(), 60u);
    EXPECT_FALSE(admission.TryReserve(41, second));
    EXPECT_TRUE(admission.TryReserve(10, first));
    EXPECT_EQ(admission.FreeBytes(), 60u);
    second.Release();
  }).join();
  EXPECT_TRUE(admission.TryReserve(100, first));
  EXPECT_EQ(admission.Stats().waiting, 0u);
}

TEST(Admission, RefusedWeightsAreToldByKind) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionRequest request;
  request.weights = {.packed = 80, .folded = 15, .read = 5, .more = 1, .mapped = 70};
  AdmissionTicket ticket;
  const Status refused = admission.Enter(request, ticket);
  EXPECT_EQ(refused.code(), Code::kOutOfMemory);
  for (const char* part : {"101 bytes for weights (80 packed, 15 folded or copied, 5 read from",
                           "70 are mapped and not counted", "the memory budget is 100 bytes"}) {
    EXPECT_NE(refused.message().find(part), std::string::npos) << refused.message();
  }
}

TEST(Admission, TriesAndTimeLimits) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionTicket held;
  ASSERT_TRUE(admission.Enter(Bytes(60), held).ok());
  std::thread([&] {
    for (const int64_t timeout_ms : {int64_t{0}, int64_t{60}}) {
      AdmissionTicket ticket;
      const auto start = Clock::now();
      AdmissionRequest request = Bytes(30, timeout_ms);
      request.output_bytes = 20;
      const Status status = admission.Enter(request, ticket);
      EXPECT_EQ(status.code(), Code::kOutOfMemory);
      for (const char* part : {"50 bytes, 30 for the slab and 20 for outputs", "100 bytes"}) {
        EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
      }
      EXPECT_GE(Clock::now() - start, milliseconds(timeout_ms));
      EXPECT_LT(Clock::now() - start, milliseconds(timeout_ms + 1000));
    }
  }).join();
  EXPECT_EQ(admission.Stats().refused, 2u);
  EXPECT_EQ(admission.Stats().waiting, 0u);
}

TEST(Admission, WaitersCanBeCancelled) {
  MemoryBudget budget;
  Admission admission(budget);
  AdmissionTicket held;
  ASSERT_TRUE(admission.Enter(OneOf(1), held).ok());
  std::atomic<bool> cancel{false};
  Clock::time_point ended;
  std::thread waiter([&] {
    AdmissionRequest request = OneOf(1);
    request.cancel = &cancel;
    AdmissionTicket ticket;
    EXPECT_EQ(admission.Enter(request, ticket).code(), Code::kCancelled);
    ended = Clock::now();
  });
  Await(admission, 1);
  const auto set = Clock::now();
  cancel = true;
  waiter.join();
  EXPECT_LT(ended - set, milliseconds(50));
  EXPECT_EQ(admission.Stats().cancelled, 1u);
}

// Only the last of the line looks for reasons to end; who was last passes that on when it goes.
TEST(Admission, OneWaiterWatchesForAll) {
  constexpr size_t kWaiters = 4;
  MemoryBudget budget;
  Admission admission(budget);
  auto held = std::make_unique<AdmissionTicket>();
  ASSERT_TRUE(admission.Enter(OneOf(1), *held).ok());
  struct OfThread {
    std::atomic<bool> cancel{false}, ended{false};
    int64_t timeout_ms = -1;
    Code code = Code::kOk;
    long sleeps = 0;
  };
  std::array<OfThread, kWaiters> waiters;
  waiters[1].timeout_ms = 300;
  std::vector<std::thread> threads;
  for (OfThread& me : waiters) {
    threads.emplace_back([&me, &admission] {
      AdmissionRequest request = OneOf(1);
      request.cancel = &me.cancel;
      request.timeout_ms = me.timeout_ms;
      AdmissionTicket ticket;
      rusage before{}, after{};
      getrusage(RUSAGE_THREAD, &before);
      me.code = admission.Enter(request, ticket).code();
      getrusage(RUSAGE_THREAD, &after);
      me.sleeps = after.ru_nvcsw - before.ru_nvcsw;
      me.ended = true;
    });
    Await(admission, threads.size());
  }
  const auto end = [&](size_t i) {
    const auto set = Clock::now();
    waiters[i].cancel = true;
    threads[i].join();
    EXPECT_LT(Clock::now() - set, milliseconds(500)) << i;
    EXPECT_EQ(waiters[i].code, Code::kCancelled) << i;
  };
  threads[1].join();  // its time is over, without the others' help
  EXPECT_EQ(waiters[1].code, Code::kOutOfMemory);
  end(3);  // the watcher
  end(2);  // watched by itself from then on
  EXPECT_FALSE(waiters[0].ended);
  held.reset();
  threads[0].join();
  EXPECT_EQ(waiters[0].code, Code::kOk);
  // Looking every kPoll would have woken the second more than ten times.
  EXPECT_LT(waiters[1].sleeps, 8);
}

TEST(Admission, WhatIsLargerThanTheBudgetFailsAtOnce) {
  MemoryBudget budget(1000);
  Admission admission(budget);
  ASSERT_TRUE(budget.Charge(300, MemoryTag::kPackedWeights));
  AdmissionRequest request = Bytes(600);
  request.output_bytes = 101;
  AdmissionTicket ticket;
  const auto start = Clock::now();
  const Status status = admission.Enter(request, ticket);
  EXPECT_LT(Clock::now() - start, Admission::kGrace / 2);
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  for (const char* part : {"701 bytes", "600 for the slab", "101 for outputs",
                           "budget is 1000 bytes", "weights hold 300"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
  request.output_bytes = 100;
  EXPECT_TRUE(admission.Enter(request, ticket).ok());
}

// Nobody is at work, so only the caller could free what is in the way, and may well be this thread.
TEST(Admission, NobodyWaitsForEver) {
  MemoryBudget budget(1000);
  Admission admission(budget);
  ASSERT_TRUE(budget.Charge(500, MemoryTag::kOutput));
  AdmissionTicket ticket;
  const auto start = Clock::now();
  EXPECT_EQ(admission.Enter(Bytes(600), ticket).code(), Code::kOutOfMemory);
  EXPECT_GE(Clock::now() - start, Admission::kGrace);
  // Another thread frees it in time.
  std::thread other([&] {
    Await(admission, 1);
    budget.Refund(500, MemoryTag::kOutput);
  });
  EXPECT_TRUE(admission.Enter(Bytes(600), ticket).ok());
  other.join();
}

TEST(Admission, RunsWithinRunsNeverWait) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionRequest request = OneOf(1);
  request.slab_bytes = 100;
  AdmissionTicket outer;
  ASSERT_TRUE(admission.Enter(request, outer).ok());
  {
    AdmissionTicket inner, innermost;
    EXPECT_TRUE(admission.Enter(request, inner).ok());
    EXPECT_TRUE(admission.Enter(request, innermost).ok());
  }
  // The outer one still has the only place.
  std::thread([&] {
    AdmissionTicket ticket;
    AdmissionRequest impatient = request;
    impatient.timeout_ms = 0;
    EXPECT_FALSE(admission.Enter(impatient, ticket).ok());
  }).join();
}

TEST(Admission, IdleBytesCountAsFree) {
  MemoryBudget budget(100);
  std::atomic<size_t> idle{0};
  Admission admission(budget, [&] { return idle.load(); });
  ASSERT_TRUE(budget.Charge(80, MemoryTag::kSlab));
  AdmissionTicket ticket;
  EXPECT_FALSE(admission.Enter(Bytes(50, 0), ticket).ok());
  idle = 40;
  EXPECT_TRUE(admission.Enter(Bytes(50, 0), ticket).ok());
}

TEST(Admission, SettledBytesAreCountedWhereTheyAre) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionTicket ticket;
  ASSERT_TRUE(admission.Enter(Bytes(60), ticket).ok());
  ASSERT_TRUE(budget.Charge(50, MemoryTag::kSlab));
  ticket.Settle(10);
  const auto enters = [&](size_t bytes) {
    bool entered = false;
    std::thread([&] {
      AdmissionTicket other;
      entered = admission.Enter(Bytes(bytes, 0), other).ok();
    }).join();
    return entered;
  };
  EXPECT_TRUE(enters(40));
  EXPECT_FALSE(enters(41));
}

// A higher or absent budget lets those start that it kept.
TEST(Admission, FollowsTheBudget) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionTicket held;
  ASSERT_TRUE(admission.Enter(Bytes(60), held).ok());
  Arrivals arrivals(admission);
  arrivals.Add("a", Bytes(60));
  arrivals.Add("b", Bytes(70));
  budget.SetLimit(120);
  while (arrivals.order() != "a") std::this_thread::yield();
  Await(admission, 1);
  budget.SetLimit(MemoryBudget::kUnlimited);
  arrivals.Join();
  EXPECT_EQ(arrivals.order(), "ab");
}

// Eight threads take what they were admitted for; the pool never has more than the budget and all
// of them get through.
TEST(Admission, ThreadsStayWithinTheBudget) {
  constexpr size_t kBudget = 40 << 20;
  MemoryHub hub({}, {}, kBudget);
  std::atomic<size_t> finished{0};
  std::vector<std::thread> threads;
  for (uint32_t id = 0; id < 8; ++id) {
    threads.emplace_back([&, id] {
      std::mt19937 random(id);
      for (int run = 0; run < 200; ++run) {
        AdmissionRequest request = Bytes(((random() % 3000) + 1) * 4096);
        AdmissionTicket ticket;
        ASSERT_TRUE(hub.admission->Enter(request, ticket).ok());
        while (true) {
          auto slab = Buffer::Allocate(hub.slabs, request.slab_bytes, 64, MemoryTag::kSlab);
          if (slab.ok()) {
            ticket.Settle();
            slab->view().data[0] = std::byte{1};
            if (run % 16 == 0) std::this_thread::sleep_for(milliseconds(1));
            break;
          }
          ASSERT_TRUE(hub.admission->Reenter(request, ticket).ok());
        }
        if (run % 50 == 49) hub.Trim();
      }
      ++finished;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(finished, 8u);
  EXPECT_LE(hub.budget->peak(), kBudget);
  EXPECT_LE(hub.slabs->Stats().peak_bytes_held, kBudget);
  EXPECT_GT(hub.admission->Stats().waited, 0u);
  EXPECT_EQ(hub.admission->Stats().waiting, 0u);
  EXPECT_EQ(hub.slabs->Stats().bytes_leased, 0u);
}

}  // namespace
}  // namespace waybill
