// The account of runs: every request is allocated or reused.
#include "exec/runner/account.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "exec/plan/plan.h"
#include "exec/testing/sample.h"

namespace waybill::exec {
namespace {

using testing::Builder;
using testing::Fixture;
using testing::Floats;

TEST(RunAccount, CountsTheRequestsOfRunsAndOfFreshSlabs) {
  Builder b;
  const auto x = b.Input("x");
  const auto h1 = b.Op("Add1", {x}, "h1");
  const auto h2 = b.Op("Add1", {h1}, "h2");  // over h1
  const auto flat = b.Op("Flat", {h2}, "flat");
  b.Output(b.Op("Scratch", {flat}, "y"));
  Fixture f(b.graph());
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  const auto pool = std::make_shared<SlabPool>(f.heap);
  f.slabs = pool;
  f.env.slab_pool = pool.get();
  const auto run = [&] {
    std::vector<Value> out;
    ASSERT_TRUE(f.Run({Floats({2, 2}, {1, 2, 3, 4})}, out).ok());
  };
  run();
  const PlanFigures& plan = f.program->plans().Latest()->figures;
  EXPECT_EQ(plan.requests, 3u);  // h1, h2, scratch
  RunTotals totals = f.program->Totals();
  EXPECT_EQ(totals.runs, 1u);
  EXPECT_EQ(totals.requests, 3u);
  EXPECT_EQ(totals.allocated, plan.fresh_requests);
  EXPECT_EQ(totals.allocated_bytes, plan.slab_bytes);
  EXPECT_EQ(totals.saved_bytes() + totals.allocated_bytes, plan.no_reuse_bytes);
  for (int i = 0; i < 4; ++i) run();
  totals = f.program->Totals();
  EXPECT_EQ(totals.runs, 5u);
  EXPECT_EQ(totals.requests, 15u);
  EXPECT_EQ(totals.allocated_bytes, plan.slab_bytes);
  EXPECT_EQ(totals.requested_bytes, 5 * plan.no_reuse_bytes);
  pool->Trim(0);
  run();
  EXPECT_EQ(f.program->Totals().allocated_bytes, 2 * plan.slab_bytes);
}

TEST(RunAccount, IsExactUnderThreads) {
  RunAccount account;
  PlanFigures plan;
  plan.requests = 7;
  plan.fresh_requests = 3;
  plan.no_reuse_bytes = 700;
  plan.slab_bytes = 300;
  constexpr int kThreads = 4, kRuns = 5000;
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&] {
      auto page = account.OpenPage();
      for (int i = 0; i < kRuns; ++i) {
        page->Enter(plan, i % 100 == 0);
        page->CountRun();
        if (i % 1000 == 0) page = account.OpenPage();
      }
    });
  }
  for (int look = 0; look < 1000; ++look) {
    const RunTotals totals = account.Read();
    ASSERT_LE(totals.allocated, totals.requests);
    ASSERT_LE(totals.allocated_bytes, totals.requested_bytes);
  }
  for (std::thread& thread : threads) thread.join();
  const RunTotals totals = account.Read();
  EXPECT_EQ(totals.runs, uint64_t{kThreads} * kRuns);
  EXPECT_EQ(totals.requests, 7 * totals.runs);
  EXPECT_EQ(totals.reused(), 7 * totals.runs - 3 * totals.runs / 100);
  EXPECT_EQ(totals.saved_bytes(), 700 * totals.runs - 300 * totals.runs / 100);
}

TEST(RunBook, KeepsWhatClosedAccountsCounted) {
  PlanFigures plan;
  plan.requests = 2;
  std::shared_ptr<RunAccount> late;
  {
    RunBook book;
    late = book.Open();
    const auto page = late->OpenPage();
    page->Enter(plan, false);
    {
      const auto early = book.Open();
      const auto other = early->OpenPage();
      other->Enter(plan, false);
      other->CountRun();
      EXPECT_EQ(book.Sum().requests, 4u);
    }
    EXPECT_EQ(book.Sum().requests, 4u);
    EXPECT_EQ(book.Sum().runs, 1u);
  }
  late->OpenPage()->CountRun();  // the book may go first
  EXPECT_EQ(late->Read().runs, 1u);
}

}  // namespace
}  // namespace waybill::exec
