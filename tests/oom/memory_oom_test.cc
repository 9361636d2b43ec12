#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "memory/admission/admission.h"
#include "memory/admission/budget_source.h"
#include "memory/buffer/buffer.h"
#include "memory/plan/csv.h"
#include "memory/plan/place.h"
#include "memory/source/failing_source.h"
#include "memory/source/hub.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"
#include "tensor/tensor/tensor.h"
#include "tests/support/alloc/alloc_hook.h"
#include "tests/support/alloc/fail_each.h"

namespace waybill {
namespace {

using testing::AllocCounter;
using testing::FailEachAllocation;
using testing::FailEachTake;
using testing::FailingAllocation;

TEST(AllocHook, CountsAndFails) {
  AllocCounter counter;
  auto kept = std::make_unique<int>(3);
  EXPECT_EQ(counter.allocations(), 1u);
  EXPECT_EQ(counter.bytes(), sizeof(int));
  kept.reset();
  EXPECT_EQ(counter.frees(), 1u);
  struct alignas(128) Wide {
    char bytes[128];
  };
  const auto wide = std::make_unique<Wide>();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(wide.get()) % 128, 0u);
  {
    FailingAllocation failing(2);
    const auto first = std::make_unique<int>(1);
    EXPECT_THROW(std::make_unique<int>(2), std::bad_alloc);
    EXPECT_TRUE(failing.fired());
    EXPECT_NE(std::make_unique<int>(3), nullptr);
  }
  FailingAllocation failing(1);
  EXPECT_EQ(new (std::nothrow) int, nullptr);
}

TEST(FailEach, LooksAtWhatEachFailureCameTo) {
  uint64_t calls = 0;
  const auto swallows = [&]() -> Status {
    ++calls;
    try {
      return std::make_unique<int>(1) ? Status::Ok() : Status::Ok();
    } catch (const std::bad_alloc&) {
    }
    return Error(Code::kFail, "something else");
  };
  EXPECT_NONFATAL_FAILURE(FailEachAllocation(swallows), "something else");
  EXPECT_EQ(calls, 2u);
  const auto failing = std::make_shared<FailingSource>(std::make_shared<SystemSource>());
  const auto misreports = [&]() -> Status {
    const auto buffer = Buffer::Allocate(failing, 8, 64, MemoryTag::kUser);
    return buffer.ok() ? Status::Ok() : Error(Code::kInvalidGraph, "the wrong code");
  };
  EXPECT_NONFATAL_FAILURE(FailEachTake(*failing, misreports), "the wrong code");
}

TEST(Oom, TensorsAndSlabsSurviveEveryFailure) {
  std::vector<std::shared_ptr<FailingSource>> sources;
  MemoryHub hub({}, [&](std::shared_ptr<MemorySource> source) {
    return sources.emplace_back(std::make_shared<FailingSource>(std::move(source)));
  });
  const auto use = [&]() -> Status {
    WB_ASSIGN_OR_RETURN(const Tensor strings,
                        Tensor::Allocate(DType::kString, {2, 3}, hub.system, MemoryTag::kUser));
    strings.span<std::string>()[1] = std::string(100, 'x');
    WB_ASSIGN_OR_RETURN(const Tensor copy,
                        CopyTensor(strings.view(), hub.system, MemoryTag::kOutput));
    WB_ASSIGN_OR_RETURN(Buffer slab, Buffer::Allocate(hub.slabs, 100000, 64, MemoryTag::kSlab));
    const SharedView shared = Buffer::Share(std::move(slab));
    WB_ASSIGN_OR_RETURN(const Tensor wrapped, Tensor::Wrap(DType::kF32, {1, 1}, shared));
    return wrapped.Reshaped(Shape::Filled(12, 1)).status();
  };
  testing::FailEachOptions options;
  options.after = [&] {
    hub.Trim();
    EXPECT_EQ(hub.ledger->Snapshot()[0].total.bytes_in_use, 0u);
  };
  EXPECT_GT(FailEachAllocation(use, options), 5u);
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(FailEachTake(*sources[0], use, options), 2u);
  EXPECT_EQ(FailEachTake(*sources[1], use, options), 1u);
  EXPECT_EQ(hub.ledger->Snapshot()[0].total.bytes_in_use, 0u);
}

// Who is refused leaves the line also where there is no memory for the reason.
TEST(Oom, RefusedWaitersLeaveTheLine) {
  MemoryBudget budget(100);
  Admission admission(budget);
  AdmissionRequest too_large;
  too_large.slab_bytes = 200;
  testing::FailEachOptions options;
  options.after = [&] { EXPECT_EQ(admission.Stats().waiting, 0u); };
  const auto enter = [&] {
    AdmissionTicket ticket;
    return admission.Enter(too_large, ticket);
  };
  EXPECT_GT(FailEachAllocation(enter, options), 0u);
  AdmissionTicket ticket;
  too_large.slab_bytes = 100;
  EXPECT_TRUE(admission.Enter(too_large, ticket).ok());
}

TEST(Oom, WhatASourceRefusesIsNotCharged) {
  const auto failing = std::make_shared<FailingSource>(std::make_shared<SystemSource>());
  const auto budget = std::make_shared<MemoryBudget>(1 << 20);
  BudgetSource source(failing, budget);
  failing->FailAt(1, true);
  testing::FailEachOptions options;
  options.after = [&] { EXPECT_EQ(budget->in_use(), 0u); };
  const auto take = [&] { return source.Take(1000, 64, MemoryTag::kUser); };
  EXPECT_GT(FailEachAllocation(take, options), 0u);
}

TEST(Oom, PlannerSurvivesEveryFailure) {
  std::vector<plan::Lifetime> lives;
  for (uint32_t i = 0; i < 40; ++i) lives.push_back({i, i, i + 1 + i % 5, 100 + 7 * i, 64});
  EXPECT_GT(FailEachAllocation([&] { return plan::PlaceGreedy(lives); }), 10u);
  EXPECT_TRUE(plan::Verify(lives, *plan::PlaceGreedy(lives)).ok());
  // Not for greed.
  const std::vector<plan::Lifetime> puzzle = {{0, 3, 3, 128, 64}, {1, 0, 3, 320, 64},
                                              {2, 4, 6, 384, 64}, {3, 3, 5, 192, 64},
                                              {4, 3, 5, 128, 64}, {5, 2, 2, 256, 64}};
  EXPECT_GT(FailEachAllocation([&] { return plan::PlaceBest(puzzle); }), 10u);
  EXPECT_EQ(plan::PlaceBest(puzzle)->stage, plan::Stage::kSearch);
}

TEST(Oom, ThreadPoolStartSurvivesEveryFailure) {
  std::atomic<size_t> done{0};
  const auto work = [&] {
    const auto pool = MakeThreadPool(3);
    done = 0;
    ParallelFor(pool.get(), 50, 3, [&](size_t begin, size_t end) { done += end - begin; });
    return done == 50 ? Status::Ok() : Error(Code::kInternal, "{} of 50 done", done.load());
  };
  EXPECT_GT(FailEachAllocation(work), 1u);
  EXPECT_EQ(done, 50u);
}

TEST(Oom, SourcesNameWhatWasRefused) {
  const auto failing = std::make_shared<FailingSource>(std::make_shared<SystemSource>());
  failing->FailAt(2);
  EXPECT_TRUE(Tensor::Allocate(DType::kF32, {3}, failing, MemoryTag::kOutput).ok());
  const auto refused = Tensor::Allocate(DType::kF32, {3}, failing, MemoryTag::kOutput);
  EXPECT_EQ(refused.status().code(), Code::kOutOfMemory);
  EXPECT_NE(refused.status().message().find("12 bytes for output"), std::string::npos);
  EXPECT_NE(refused.status().message().find("tensor float [3]"), std::string::npos);
}

TEST(WarmPath, SlabLeaseAndParallelForTouchNoHeap) {
  MemoryHub hub;
  const auto pool = MakeThreadPool(3);
  const auto run = [&] {
    const auto slab = Buffer::Allocate(hub.slabs, 3 << 20, 64, MemoryTag::kSlab);
    std::atomic<size_t> sum{0};
    ParallelFor(pool.get(), 100, 3, [&](size_t begin, size_t end) { sum += end - begin; });
    return slab.ok() && sum == 100;
  };
  EXPECT_TRUE(run());
  AllocCounter counter;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(run());
  EXPECT_EQ(counter.allocations(), 0u);
}

}  // namespace
}  // namespace waybill
