#include "exec/runner/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "exec/plan/plan.h"
#include "exec/testing/sample.h"
#include "memory/admission/admission.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::AsInts;
using testing::Bool;
using testing::Builder;
using ::testing::ElementsAre;
using testing::Fixture;
using testing::Floats;
using ::testing::HasSubstr;
using testing::Ints;

const Plan& LatestPlan(const Fixture& f) {
  static std::shared_ptr<const Plan> keep;
  keep = f.program->plans().Latest();
  return *keep;
}

TEST(Run, ChainSharesMemoryInPlaceAndByViews) {
  Builder b;
  const auto x = b.Input("x");
  const auto h1 = b.Op("Add1", {x}, "h1");
  const auto h2 = b.Op("Add1", {h1}, "h2");
  const auto flat = b.Op("Flat", {h2}, "flat");
  const auto s = b.Op("Scratch", {flat}, "s");
  b.Output(b.Op("Add1", {s}, "y"));
  Fixture f(b.graph());
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  std::vector<Value> out;
  const Status status = f.Run({Floats({2, 2}, {1, 2, 3, 4})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(7, 9, 11, 13));
  const Plan& plan = LatestPlan(f);
  EXPECT_EQ(plan.figures.in_place, 2u);  // h2 over h1, and y takes s into the output
  EXPECT_EQ(plan.figures.views, 1u);
  EXPECT_FALSE(plan.has_dynamic);
  EXPECT_EQ(plan.figures.slab_bytes, plan.figures.bound_bytes);
  EXPECT_LT(plan.figures.slab_bytes, plan.figures.no_reuse_bytes);
}

TEST(Run, InPlaceIsRefusedWhereSomebodyReadsLater) {
  Builder b;
  const auto x = b.Input("x");
  const auto h1 = b.Op("Add1", {x}, "h1");
  const auto h2 = b.Op("Add1", {h1}, "h2");
  const auto twice = b.Op("Add", {h2, h2}, "twice");
  b.Output(b.Op("Add", {twice, h1}, "y"));
  Fixture f(b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({2}, {1, 2})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(8, 11));
}

TEST(Run, OutputsAliasNothing) {
  Builder b;
  const auto x = b.Input("x");
  const auto c = b.Constant("c", Floats({2}, {5, 6}));
  const auto y = b.Op("Add1", {x}, "y");
  b.Output(x);                        // an input
  b.Output(c);                        // a constant
  b.Output(b.Op("Flat", {x}, "fx"));  // a view of an input
  b.Output(y);
  b.Output(y);                        // twice
  b.Output(b.Op("Flat", {y}, "fy"));  // a view of another output
  Fixture f(b.graph());
  const Tensor input = Floats({2}, {1, 2});
  std::vector<Value> out;
  const Status status = f.Run({input}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(1, 2));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(5, 6));
  EXPECT_THAT(AsFloats(out[2]), ElementsAre(1, 2));
  for (int k = 3; k < 6; ++k) EXPECT_THAT(AsFloats(out[k]), ElementsAre(2, 3));
  std::set<const void*> places = {input.view().data,
                                  b.graph().value(c).constant.tensor().view().data};
  for (const Value& value : out) places.insert(value.tensor()->view().data);
  EXPECT_EQ(places.size(), 8u);
}

TEST(Run, ShapeArithmeticIsDoneAtPlanning) {
  Builder b;
  const auto x = b.Input("x");
  const auto dims = b.Op("Shape", {x}, "dims", DType::kI64, "");
  const auto more = b.Op("Inc", {dims}, "more", DType::kI64);
  const auto y = b.Op("Add1", {x}, "y");
  const auto target = b.Constant("target", Ints({1}, {4}));
  const auto same = b.Op("Reshape", {y, dims}, "same");
  const auto line = b.Op("Reshape", {same, target}, "line");
  b.Output(b.Op("Add1", {line}, "out"));
  b.Output(more);
  Fixture f(b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({2, 2}, {1, 2, 3, 4})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(AsInts(out[1]), ElementsAre(3, 3));
  EXPECT_FALSE(LatestPlan(f).has_dynamic);
  EXPECT_EQ(LatestPlan(f).figures.constant_values, 2u);
}

TEST(Run, DynamicValuesRunBesidePlannedOnes) {
  Builder b;
  const auto x = b.Input("x");
  const auto h = b.Op("Add1", {x}, "h");
  const auto some = b.Op("Positive", {h}, "some");
  const auto dims = b.Op("Shape", {some}, "dims", DType::kI64, "");
  const auto view = b.Op("Reshape", {some, dims}, "view");
  b.Output(b.Op("Scratch", {view}, "y"));
  b.Output(b.Op("Add1", {h}, "z"));
  Fixture f(b.graph());
  for (int run = 0; run < 3; ++run) {
    std::vector<Value> out;
    const Status status = f.Run({Floats({4}, {-4, 1, -5, static_cast<float>(run)})}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_THAT(AsFloats(out[0]), ElementsAre(4, 2.0f * static_cast<float>(run + 1)));
    EXPECT_EQ(out[1].tensor()->shape(), Shape{4});
  }
  EXPECT_TRUE(LatestPlan(f).has_dynamic);
  EXPECT_GT(LatestPlan(f).figures.planned_values, 0u);
}

TEST(Run, DynamicStepsArePlannedAnewForOtherShapes) {
  Builder b;
  const auto some = b.Op("Positive", {b.Input("x")}, "some");
  const auto sums = b.Op("Add1", {b.Op("Scratch", {some}, "scratched")}, "sums");
  const auto dims = b.Op("Shape", {some}, "dims", DType::kI64, "");
  b.Output(b.Op("Reshape", {sums, dims}, "y"));
  Fixture f(b.graph());
  std::vector<Value> expected, out;
  for (const int positives : {4, 4, 1, 3, 3, 0, 4}) {
    std::vector<float> x(4, -1.0f);
    for (int i = 0; i < positives; ++i) x[static_cast<size_t>(i)] = static_cast<float>(i + 1);
    out.clear();
    const Status status = f.Run({Floats({4}, x)}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(out[0].tensor()->shape(), Shape{positives});
    Fixture fresh(b.graph());  // has no plan to keep
    expected.clear();
    ASSERT_TRUE(fresh.Run({Floats({4}, x)}, expected).ok());
    EXPECT_EQ(AsFloats(out[0]), AsFloats(expected[0])) << positives;
  }
}

TEST(Run, PlansAreCachedByShapeAndBounded) {
  Builder b;
  b.Output(b.Op("Scratch", {b.Input("x")}, "y"));
  Fixture f(b.graph(), 2);
  std::vector<Value> out;
  for (const int64_t n : {1, 2, 1, 2, 3, 2, 1}) {
    out.clear();
    ASSERT_TRUE(f.Run({Floats({n}, std::vector<float>(static_cast<size_t>(n), 1.0f))}, out).ok());
    EXPECT_EQ(out[0].tensor()->shape(), Shape{n});
  }
  const PlanCacheStats stats = f.program->plans().Stats();
  EXPECT_EQ(stats.hits, 3u);    // 1, 2, and 2 after 3 drove 1 out
  EXPECT_EQ(stats.misses, 4u);  // 1, 2, 3, 1
  EXPECT_EQ(stats.evictions, 2u);
  EXPECT_EQ(stats.plans, 2u);
}

TEST(Run, GivenOutputsAreWrittenInPlaceAndChecked) {
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Add1", {x}, "y"));
  b.Output(b.Op("Positive", {x}, "p"));
  Fixture f(b.graph());
  std::vector<Value> out = {Floats({2}, {0, 0}), Value()};
  const void* place = out[0].tensor()->view().data;
  ASSERT_TRUE(f.Run({Floats({2}, {1, 2})}, out).ok());
  EXPECT_EQ(out[0].tensor()->view().data, place);
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(2, 3));

  out = {Floats({3}, {0, 0, 0}), Value()};
  Status status = f.Run({Floats({2}, {1, 2})}, out);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("[3]"));
  EXPECT_THAT(status.message(), HasSubstr("[2]"));
  out = {Ints({2}, {0, 0}), Value()};
  status = f.Run({Floats({2}, {1, 2})}, out);
  EXPECT_THAT(status.message(), HasSubstr("Unexpected output data type"));
  out = {Value(), Floats({1}, {0})};
  status = f.Run({Floats({2}, {1, 2})}, out);
  EXPECT_THAT(status.message(), HasSubstr("Got invalid dimensions for output: p"));
  out = {Value(), Floats({1}, {0})};
  ASSERT_TRUE(f.Run({Floats({2}, {-1, 2})}, out).ok());
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(2));
}

// What is known of an output of unknown kind only after the run is checked then.
TEST(Run, GivenTensorsTakeNoSequences) {
  Builder b;
  const auto y = b.Op("List", {b.Input("x")}, "y");
  b.graph().value(y).type = ValueType();
  b.Output(y);
  Fixture f(b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({2}, {1, 2})}, out).ok());
  ASSERT_NE(out[0].sequence(), nullptr);
  EXPECT_TRUE(f.Run({Floats({2}, {1, 2})}, out).ok());  // a given sequence is replaced
  out = {Floats({2}, {7, 7})};
  const Status status = f.Run({Floats({2}, {1, 2})}, out);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("output y is seq(tensor(float))"));
  ASSERT_NE(out[0].tensor(), nullptr);
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(7, 7));
}

// Sessions share plans, so what these keep is of nobody's own source.
TEST(Run, ConstantsOfPlansAreNotTakenFromTheSourceOfOneRun) {
  Builder b;
  b.Output(b.Op("Inc", {b.Op("Shape", {b.Input("x")}, "dims", DType::kI64, "")}, "y", DType::kI64));
  Fixture f(b.graph());
  const auto plans = std::make_shared<Ledger>();
  const std::shared_ptr<MemorySource> constants =
      std::make_shared<SystemSource>(plans->ForDevice({}));
  f.env.constants = &constants;
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({2, 2}, {1, 2, 3, 4})}, out).ok());
  EXPECT_GT(plans->Snapshot()[0].total.bytes_in_use, 0u);
  out.clear();
  EXPECT_EQ(f.ledger->Snapshot()[0].by_tag[static_cast<size_t>(MemoryTag::kFolded)].bytes_in_use,
            0u);
}

// Like a run, it holds nothing while it waits.
TEST(Run, PrewarmingWaitsForMemory) {
  Builder b;
  b.Output(b.Op("Scratch", {b.Op("Add1", {b.Input("x")}, "h")}, "y"));
  Fixture f(b.graph());
  MemoryBudget budget(1 << 20);
  Admission admission(budget);
  f.env.admission = &admission;
  f.env.admission_timeout_ms = 0;
  const Tensor x = Floats({1000}, std::vector<float>(1000));
  const TensorView views[] = {x.view()};
  std::thread([&] {
    AdmissionRequest all;
    all.slab_bytes = budget.limit();
    AdmissionTicket ticket;
    ASSERT_TRUE(admission.Enter(all, ticket).ok());
    std::thread([&] {
      EXPECT_EQ(Prewarm(*f.program, f.env, views).code(), Code::kOutOfMemory);
    }).join();
  }).join();
  EXPECT_EQ(f.ledger->Snapshot()[0].total.bytes_in_use, 0u);
  EXPECT_TRUE(Prewarm(*f.program, f.env, views).ok());
  EXPECT_EQ(admission.FreeBytes(), budget.limit());
}

TEST(Run, ErrorsNameTheNode) {
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Fail", {b.Op("Add1", {x}, "h")}, "y"));
  Fixture f(b.graph());
  std::vector<Value> out;
  const Status status = f.Run({Floats({2}, {1, 2})}, out);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("it always fails"));
  EXPECT_THAT(status.message(), HasSubstr("n1"));
  EXPECT_THAT(status.message(), HasSubstr("float [2]"));
}

TEST(Run, TerminateStops) {
  Builder b;
  b.Output(b.Op("Add1", {b.Input("x")}, "y"));
  Fixture f(b.graph());
  const std::atomic<bool> stop = true;
  f.env.terminate = &stop;
  std::vector<Value> out;
  EXPECT_EQ(f.Run({Floats({1}, {1})}, out).code(), Code::kCancelled);
}

TEST(Run, DeadNodesAreLeftOut) {
  Builder b;
  const auto x = b.Input("x");
  b.Op("Fail", {x}, "unread");
  b.Output(b.Op("Add1", {x}, "y"));
  Fixture f(b.graph());
  EXPECT_EQ(f.program->steps().size(), 1u);
}

TEST(Run, ThreadsShareOneProgram) {
  Builder b;
  auto h = b.Input("x");
  for (int i = 0; i < 10; ++i) {
    h = b.Op(i % 3 == 0 ? "Scratch" : "Add1", {h}, "h" + std::to_string(i));
  }
  b.Output(h);
  Fixture f(b.graph());
  std::vector<Value> expected;
  ASSERT_TRUE(f.Run({Floats({3}, {1, 2, 3})}, expected).ok());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::vector<Value> out;
        if (!f.Run({Floats({3}, {1, 2, 3})}, out).ok()) ++wrong;
        if (AsFloats(out[0]) != AsFloats(expected[0])) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Run, ManyRunsShareFewThreads) {
  Builder b;
  auto h = b.Input("x");
  for (int i = 0; i < 12; ++i) {
    h = b.Op(i % 4 == 3 ? "Scratch" : "Wide", {h}, "h" + std::to_string(i));
  }
  b.Output(h);
  Fixture f(b.graph());
  const auto pool = MakeThreadPool(4);
  f.env.pool = pool.get();
  std::vector<float> x(1000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  std::vector<Value> expected;
  ASSERT_TRUE(f.Run({Floats({1000}, x)}, expected).ok());
  f.env.width = 4;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        std::vector<Value> out;
        if (!f.Run({Floats({1000}, x)}, out).ok()) ++wrong;
        if (AsFloats(out[0]) != AsFloats(expected[0])) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Run, EverythingGoesBack) {
  auto ledger = std::make_shared<Ledger>();
  {
    Builder b;
    const auto x = b.Input("x");
    b.Output(b.Op("Positive", {b.Op("Scratch", {x}, "s")}, "y"));
    Fixture f(b.graph());
    ledger = f.ledger;
    std::vector<Value> out;
    ASSERT_TRUE(f.Run({Floats({3}, {1, 2, 3})}, out).ok());
    EXPECT_GT(ledger->Snapshot()[0].total.bytes_in_use, 0u);
  }
  EXPECT_EQ(ledger->Snapshot()[0].total.bytes_in_use, 0u);
}

}  // namespace
}  // namespace waybill::exec
