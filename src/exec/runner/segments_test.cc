// Runs that find out sizes: what follows is planned then, in the room that is left or a slab of its
// own, and the plan is kept for the next run with these sizes.
#include "exec/runner/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "exec/testing/sample.h"
#include "memory/admission/admission.h"
#include "memory/admission/budget_source.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Builder;
using testing::Fixture;
using testing::Floats;
using testing::Ints;

// `count` elements, of which `positives` are positive.
Tensor Mixed(int64_t count, int64_t positives) {
  std::vector<float> values(static_cast<size_t>(count), -7.0f);
  for (size_t i = 0; i < static_cast<size_t>(positives); ++i) {
    values[2 * i] = static_cast<float>(i % 100 + 1);
  }
  return Floats({count}, values);
}

// The first half of a vector.
graph::ValueId Half(Builder& b, graph::ValueId from, const std::string& name) {
  const auto half = b.Add(name), other = b.Add(name + "other");
  b.Node("Halves", {from}, {half, other});
  return half;
}

// A chain of steps that each need the result before and write anew.
graph::ValueId Chain(Builder& b, graph::ValueId from, int length, const std::string& name) {
  for (int i = 0; i < length; ++i) {
    const std::string step = name + std::to_string(i);
    from = b.Op("Cat", {b.Op("Add1", {from}, step + "a"), from}, step);
    from = Half(b, from, step + "b");
  }
  return from;
}

// Before the size is known, and behind it; with a step beside it that needs no size.
struct Sample {
  explicit Sample(const std::string& op) {
    const auto x = b.Input("x");
    before = Chain(b, x, 3, "before");
    b.Output(b.Op("Add1", {before}, "beside"));
    const auto some = b.Op(op, {before}, "some");
    const auto flat = b.Op("Flat", {some}, "flat");
    b.Output(Chain(b, flat, 4, "behind"));
    b.Output(b.Op("Add1", {b.Op("Add", {some, flat}, "sum")}, "twice"));
  }
  Builder b;
  graph::ValueId before;
};

std::vector<std::shared_ptr<const Plan>> TailsOf(const Fixture& f) {
  return f.program->tails().ChainAfter(f.program->plans().Latest()->key);
}

class Sizes : public ::testing::TestWithParam<std::tuple<const char*, PlanRules>> {};

TEST_P(Sizes, GiveTheSameResultsWhateverWasSeenBefore) {
  const auto& [op, rules] = GetParam();
  Sample s(op);
  Fixture f(s.b.graph(), 64, rules);
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  std::vector<Value> out, expected;
  for (const int64_t positives : {9, 9, 100, 0, 9, 1, 0, 100, 37}) {
    Fixture plain(s.b.graph(), 64, {true, false, false});
    out.clear();
    expected.clear();
    const Status status = f.Run({Mixed(200, positives)}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(plain.Run({Mixed(200, positives)}, expected).ok());
    for (size_t k = 0; k < out.size(); ++k) {
      EXPECT_EQ(out[k].tensor()->shape(), expected[k].tensor()->shape());
      EXPECT_EQ(AsFloats(out[k]), AsFloats(expected[k])) << op << positives << " " << k;
    }
    EXPECT_EQ(out[1].tensor()->shape(), Shape{positives});
    for (int64_t i = 0; i < positives; ++i) {
      const float v = out[1].tensor()->span<float>()[static_cast<size_t>(i)];
      EXPECT_EQ(v, static_cast<float>(i % 100 + 1) + 7) << i;
    }
  }
  EXPECT_EQ(f.program->tails().Stats().misses, 5u);
  EXPECT_EQ(f.program->tails().Stats().hits, 4u);
}

INSTANTIATE_TEST_SUITE_P(All, Sizes,
                         ::testing::Combine(::testing::Values("Some", "Positive"),
                                            ::testing::Values(PlanRules{},
                                                              PlanRules{true, true, true},
                                                              PlanRules{true, false, true})));

TEST(Segments, PlanWhatFollowsInTheRoomThatIsThere) {
  Sample s("Some");
  Fixture f(s.b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Mixed(100000, 5000)}, out).ok());
  const auto tails = TailsOf(f);
  ASSERT_EQ(tails.size(), 1u);
  const Plan& tail = *tails[0];
  EXPECT_EQ(tail.region, 0u);
  EXPECT_FALSE(tail.opens_region);
  EXPECT_EQ(tail.figures.slab_bytes, 0u);  // beside what lives on of the first
  EXPECT_GT(tail.figures.planned_values, 5u);
  EXPECT_LT(tail.figures.bound_bytes, tail.figures.no_reuse_bytes);
  EXPECT_EQ(f.program->plans().Latest()->figures.dynamic_values, 16u);
  EXPECT_EQ(tail.figures.dynamic_values, 0u);
}

// Sixteen times its input in the first plan, as often as the other input says behind it.
struct Growing {
  Growing() {
    const auto x = b.Input("x"), times = b.Input("times", DType::kI64);
    const auto sixteen = b.Constant("sixteen", Ints({1}, {16}));
    auto h = b.Op("Scratch", {b.Op("Repeat", {x, sixteen}, "wide")}, "a");
    for (int i = 0; i < 4; ++i) h = Half(b, h, "half" + std::to_string(i));
    h = b.Op("Scratch", {h}, "h");
    // Known only while running, though a step like any other.
    const auto count = b.Op("Inc", {times}, "count", DType::kI64);
    const auto big = b.Op("Repeat", {h, count}, "big");
    b.Output(Half(b, b.Op("Scratch", {b.Op("Scratch", {big}, "c")}, "d"), "y"));
    b.Output(b.Op("Add1", {h}, "z"));
  }
  Builder b;
};

TEST(Segments, TakeASlabOfTheirOwnOnlyWhereNothingElseHasRoom) {
  Growing g;
  Fixture f(g.b.graph(), 16, {true, true, true});
  std::vector<Value> out;
  for (const int64_t times : {8, 1, 8, 40, 8}) {
    out.clear();
    const Status status =
        f.Run({Floats({1000}, std::vector<float>(1000, 1)), Ints({1}, {times - 1})}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(out[0].tensor()->shape(), Shape{500 * times});
    for (const float v : AsFloats(out[0])) ASSERT_EQ(v, 16);
    for (const float v : AsFloats(out[1])) ASSERT_EQ(v, 5);
    const auto tails = TailsOf(f);
    ASSERT_EQ(tails.size(), 1u);
    EXPECT_EQ(tails[0]->opens_region, times == 40);
    EXPECT_GE(tails[0]->figures.slab_bytes, times == 40 ? tails[0]->figures.bound_bytes : 0);
  }
  EXPECT_EQ(f.program->tails().Stats().misses, 3u);
  const RunTotals totals = f.program->Totals();
  EXPECT_EQ(totals.runs, 5u);
  EXPECT_GT(totals.saved_bytes(), 0u);
}

// A view that is read when the bytes that it was made of are long gone.
TEST(Segments, ViewsOutliveWhatTheyLookAt) {
  Builder b;
  const auto x = b.Input("x");
  const auto early = b.Op("Add1", {x}, "early");
  const auto dims = b.Op("Inc", {b.Input("count", DType::kI64)}, "dims", DType::kI64);
  const auto view = b.Op("Reshape", {early, dims}, "view");
  const auto again = b.Op("Flat", {view}, "again");
  auto h = b.Op("Scratch", {x}, "h");
  for (int i = 0; i < 6; ++i) h = b.Op("Scratch", {h}, "h" + std::to_string(i));
  b.Output(b.Op("Add", {again, h}, "sum"));
  b.Output(view);
  for (const bool poison : {false, true}) {
    Fixture f(b.graph(), 16, {true, true, poison});
    for (int run = 0; run < 3; ++run) {
      std::vector<Value> out;
      const Status status = f.Run({Floats({4}, {1, 2, 3, 4}), Ints({1}, {3})}, out);
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(AsFloats(out[0]), (std::vector<float>{130, 259, 388, 517}));
      EXPECT_EQ(AsFloats(out[1]), (std::vector<float>{2, 3, 4, 5}));
    }
  }
}

// Bodies find out sizes too, and so does what follows them.
TEST(Segments, BodiesHaveTailsOfTheirOwn) {
  Builder b, body, yes, no;
  const auto trips = b.Input("trips", DType::kI64), start = b.Input("start");
  const auto i = body.Input("i", DType::kI64);
  body.Input("c", DType::kBool);
  const auto v = body.Input("v");
  body.Output(body.Op("Less", {i, body.Constant("limit", Ints({}, {99}))}, "go", DType::kBool));
  const auto kept = body.Op("Some", {body.Op("Add1", {v}, "more")}, "kept");
  body.Output(body.Op("Scratch", {body.Op("Scratch", {kept}, "twice")}, "next"));
  const auto last = b.Add("last");
  b.Node("Loop", {trips, graph::kNoValue, start}, {last}, "").attrs.Set("body", body.ptr());
  const auto h = b.Op("Scratch", {b.Op("Add1", {last}, "h")}, "hh");
  yes.Output(yes.Op("Add1", {yes.Op("Some", {yes.Capture(h, "h")}, "s")}, "y"));
  no.Output(no.Op("Add1", {no.Capture(h, "h")}, "y"));
  const auto y = b.Add("y");
  auto& node = b.Node("If", {b.Input("cond", DType::kBool)}, {y}, "");
  node.attrs.Set("then_branch", yes.ptr());
  node.attrs.Set("else_branch", no.ptr());
  b.Output(b.Op("Scratch", {b.Op("Scratch", {y}, "z1")}, "z"));
  for (const bool poison : {false, true}) {
    Fixture f(b.graph(), 16, {true, true, poison});
    ASSERT_TRUE(f.status.ok()) << f.status.ToString();
    for (int run = 0; run < 3; ++run) {
      for (const bool cond : {true, false}) {
        std::vector<Value> out;
        const Status status =
            f.Run({Ints({}, {3}), Floats({4}, {-9, 0, -1, 1}), testing::Bool(cond)}, out);
        ASSERT_TRUE(status.ok()) << status.ToString();
        // 4 * (v + 1) three times, then 2 * (v + 1), + 1, * 4.
        EXPECT_EQ(AsFloats(out[0]), (std::vector<float>{684, 1196}));
      }
    }
    const PlanCacheStats stats = f.program->body(0).tails().Stats();
    EXPECT_EQ(stats.misses, 2u);  // two kept of four, then two of two
    EXPECT_EQ(stats.hits, 16u);
  }
}

// A kernel that has a place reserved, by the most that it may need.
TEST(Segments, ReserveWhatIsPromisedWhereItCostsLittle) {
  Builder b;
  const auto x = b.Input("x");
  const auto h = Chain(b, x, 3, "h");
  const auto few = Half(b, Half(b, h, "q1"), "q2");
  b.Output(b.Op("Add1", {b.Op("Some", {few}, "some")}, "y"));
  b.Output(b.Op("Add1", {h}, "z"));
  Fixture f(b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Mixed(8, 4)}, out).ok());
  const auto plan = f.program->plans().Latest();
  EXPECT_LE(plan->figures.reserve_bytes, size_t{64} << 10);
  ASSERT_EQ(TailsOf(f).size(), 1u);
  EXPECT_FALSE(TailsOf(f)[0]->opens_region);
}

// Sizes that no memory has: an error, and nothing is left behind.
TEST(Segments, HostileSizesAreErrors) {
  Growing g;
  Fixture f(g.b.graph());
  auto budget = std::make_shared<MemoryBudget>(size_t{1} << 20);
  std::shared_ptr<MemorySource> source = std::make_shared<BudgetSource>(f.heap, budget);
  std::shared_ptr<MemorySource> slabs = std::make_shared<SlabPool>(source);
  f.env.slabs = &slabs;
  f.env.dynamic = &source;
  std::vector<Value> out;
  constexpr int64_t kSizes[] = {int64_t{1} << 40, int64_t{1} << 58, int64_t{1} << 60, 0, 3};
  for (const int64_t times : kSizes) {
    out.clear();
    const Status status = f.Run({Floats({4}, {1, 1, 1, 1}), Ints({1}, {times - 1})}, out);
    EXPECT_EQ(status.ok(), times < 10) << status.ToString();
    if (status.ok()) {
      EXPECT_EQ(out[0].tensor()->shape(), Shape{2 * times});
    }
  }
  out.clear();
  const DeviceUse use = f.ledger->Snapshot()[0];
  for (const MemoryTag tag : {MemoryTag::kDynamic, MemoryTag::kOutput}) {
    EXPECT_EQ(use.by_tag[static_cast<size_t>(tag)].bytes_in_use, 0u);
  }
}

// Runs that need more than they were admitted with start anew when others have it, and none waits
// for ever.
TEST(Segments, NeverExceedABudgetNorBlockEachOther) {
  Growing g;
  Fixture f(g.b.graph());
  auto budget = std::make_shared<MemoryBudget>(size_t{5} << 20);
  auto pool = std::make_shared<SlabPool>(std::make_shared<BudgetSource>(f.heap, budget));
  std::shared_ptr<MemorySource> slabs = pool;
  Admission admission(*budget, [&] { return pool->IdleBytes(); });
  RunEnv env = f.env;
  env.slabs = &slabs;
  env.slab_pool = pool.get();
  env.admission = &admission;
  const Value x = Floats({10000}, std::vector<float>(10000, 1)), times = Ints({1}, {19});
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::vector<Value> out(2);
        const Value* inputs[] = {&x, &times};
        const Status status = exec::Run(*f.program, env, inputs, out);
        if (!status.ok() || AsFloats(out[0])[7] != 16) ++failed;
        if (!status.ok()) ADD_FAILURE() << status.ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_LE(budget->peak(), size_t{5} << 20);
  EXPECT_GT(admission.Stats().waited, 0u);
}

}  // namespace
}  // namespace waybill::exec
