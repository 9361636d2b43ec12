#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exec/plan/plan.h"
#include "exec/testing/sample.h"
#include "memory/source/failing_source.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Builder;
using ::testing::ElementsAre;
using testing::Fixture;
using testing::Floats;
using ::testing::HasSubstr;

constexpr int64_t kElems = 4096;
constexpr size_t kBytes = kElems * sizeof(float);

graph::ValueId SizedInput(Builder& b, SymShape shape = SymShape(Shape{kElems})) {
  const auto x = b.Input("x");
  b.graph().value(x).type = ValueType::Tensor(DType::kF32, std::move(shape));
  return x;
}

// Four values made of x, all before the first is read; then their sum, the last made first if
// `backwards`. The sum is made in place, in the output.
void AddFan(Builder& b, graph::ValueId x, const std::string& op, const std::string& domain,
            bool backwards = false) {
  std::vector<graph::ValueId> made;
  for (int i = 0; i < 4; ++i) {
    made.push_back(b.Op(op, {x}, "a" + std::to_string(i), DType::kF32, domain));
  }
  if (backwards) made = {made[3], made[2], made[1], made[0]};
  auto sum = b.Op("Add", {made[0], made[1]}, "s1");
  sum = b.Op("Add", {sum, made[2]}, "s2");
  b.Output(b.Op("Add", {sum, made[3]}, "y"));
}

std::vector<float> RunOnes(Fixture& f) {
  std::vector<Value> out;
  const Status status = f.Run({Floats({kElems}, std::vector<float>(kElems, 1))}, out);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return status.ok() ? AsFloats(out[0]) : std::vector<float>();
}

TEST(StepOrder, ReadsWhatIsMadeBeforeMoreIsMade) {
  for (const bool order_steps : {false, true}) {
    Builder b;
    AddFan(b, SizedInput(b), "Wide", "test");
    Fixture f(b.graph(), 16, {}, order_steps);
    ASSERT_TRUE(f.status.ok()) << f.status.ToString();
    EXPECT_EQ(RunOnes(f), std::vector<float>(kElems, 8));
    const PlanFigures& figures = f.program->plans().Latest()->figures;
    const StepOrder& order = f.program->step_order();
    EXPECT_EQ(figures.bound_bytes, order_steps ? kBytes : 3 * kBytes);
    if (order_steps) {
      EXPECT_GT(order.moved_steps, 0u);
      EXPECT_EQ(order.graph_bound_bytes, 3 * kBytes);
      EXPECT_EQ(order.bound_bytes, kBytes);
      EXPECT_EQ(order.not_tried, "");
    } else {
      EXPECT_EQ(order.moved_steps, 0u);
      EXPECT_EQ(order.not_tried, "it is not wanted");
    }
    EXPECT_EQ(order.open_dims, 0);
  }
}

// Lives go by the new numbers: what a step reads last is released there, what it makes begins.
TEST(StepOrder, LivesAreThoseOfTheNewOrder) {
  Builder b;
  AddFan(b, SizedInput(b), "Wide", "test");
  PlanRules rules;
  rules.poison_freed = true;
  Fixture f(b.graph(), 16, rules, true);
  ASSERT_TRUE(f.status.ok());
  EXPECT_EQ(RunOnes(f), std::vector<float>(kElems, 8));
  const auto steps = f.program->steps();
  const auto slots = f.program->slots();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    for (const SlotId slot : steps[i].inputs) {
      EXPECT_LE(i, slots[slot].last_read);
      EXPECT_TRUE(slots[slot].origin != Origin::kStep || slots[slot].producer < i);
    }
    for (const SlotId slot : steps[i].outputs) EXPECT_EQ(slots[slot].producer, i);
    for (const SlotId slot : steps[i].release) EXPECT_EQ(slots[slot].last_read, i);
  }
}

// Test kernels of Multinomial copy; what counts is that the name says it draws.
TEST(StepOrder, StepsThatDrawKeepTheirOrder) {
  Builder b;
  AddFan(b, SizedInput(b), "Multinomial", "", true);
  Fixture f(b.graph(), 16, {}, true);
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  EXPECT_EQ(RunOnes(f), std::vector<float>(kElems, 8));
  std::vector<std::string> draws;
  for (const Step& step : f.program->steps()) {
    if (!step.pure) draws.push_back(step.node->name);
  }
  EXPECT_THAT(draws, ElementsAre("n0", "n1", "n2", "n3"));
  // a3 and a2 are read first, so all are alive at once in any order of the rest.
  EXPECT_EQ(f.program->step_order().moved_steps, 0u);
}

TEST(StepOrder, StepsThatTheRunSizesStayWhereTheyAre) {
  Builder b;
  const auto x = SizedInput(b);
  const auto late = b.Op("Wide", {x}, "late");
  const auto some = b.Op("Positive", {x}, "some");
  AddFan(b, x, "Wide", "test");
  b.Output(some);
  b.Output(b.Op("Add1", {late}, "z"));
  Fixture f(b.graph(), 16, {}, true);
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  const auto steps = f.program->steps();
  ASSERT_EQ(steps.size(), 10u);
  EXPECT_EQ(steps[0].node->name, "n0");
  EXPECT_EQ(steps[1].node->name, "n1");
  EXPECT_GT(f.program->step_order().moved_steps, 0u);
  EXPECT_EQ(RunOnes(f), std::vector<float>(kElems, 8));
}

TEST(StepOrder, OpenDimensionsAreTried) {
  Builder b;
  AddFan(b, SizedInput(b, SymShape({Dim::Symbol("n"), Dim(16)})), "Wide", "test");
  Fixture f(b.graph(), 16, {}, true);
  ASSERT_TRUE(f.status.ok());
  const StepOrder& order = f.program->step_order();
  EXPECT_EQ(order.open_dims, 64);
  EXPECT_EQ(order.graph_bound_bytes, 3 * kBytes / 4);
  EXPECT_EQ(order.bound_bytes, kBytes / 4);
}

// The shape of x is computed in each trial: with the first sizes, then with ones.
TEST(StepOrder, ATrialThatFindsNoMemoryLeavesTheOrderOfTheGraph) {
  for (const uint64_t failing : {0, 1, 2, 3}) {
    Builder b;
    const auto x = SizedInput(b, SymShape({Dim::Symbol("n"), Dim(16)}));
    b.Output(b.Op("Shape", {x}, "s", DType::kI64, ""));
    AddFan(b, x, "Wide", "test");
    const auto ledger = std::make_shared<Ledger>();
    const auto source =
        std::make_shared<FailingSource>(std::make_shared<SystemSource>(ledger->ForDevice({})));
    Fixture f(b.graph());  // for its slabs
    BuildOptions options;
    options.providers = f.providers;
    options.source = source;
    options.order_steps = true;
    source->FailAt(failing);
    auto built = Program::Build(b.graph(), options, f.report);
    ASSERT_TRUE(built.ok()) << built.status().ToString();
    EXPECT_EQ(source->takes(), failing == 1 ? 1u : 2u) << "no other sizes are tried instead";
    EXPECT_EQ(ledger->Snapshot()[0].total.bytes_in_use, 0u);
    f.program = std::move(*built);
    const StepOrder& order = f.program->step_order();
    const bool is_short = failing == 1 || failing == 2;
    EXPECT_EQ(order.moved_steps != 0, !is_short);
    EXPECT_EQ(order.not_tried.find("refused by a test") != std::string::npos, is_short);
    for (size_t i = 0; is_short && i < f.program->steps().size(); ++i) {
      EXPECT_EQ(f.program->steps()[i].node->name, "n" + std::to_string(i));
    }
    EXPECT_EQ(f.program->plans().Stats().plans, 0u);
    std::vector<Value> out;
    const Status run = f.Run({Floats({2, 16}, std::vector<float>(32, 1))}, out);
    ASSERT_TRUE(run.ok()) << run.ToString();
    EXPECT_EQ(AsFloats(out[1]), std::vector<float>(32, 8));
  }
}

TEST(StepOrder, SaysWhyItIsNotTried) {
  const auto why = [](SymShape shape, bool reuse, int fans) {
    Builder b;
    const auto x = SizedInput(b, std::move(shape));
    if (fans != 0)
      AddFan(b, x, "Wide", "test");
    else
      b.Output(b.Op("Add1", {b.Op("Wide", {x}, "a")}, "y"));
    PlanRules rules;
    rules.reuse = reuse;
    Fixture f(b.graph(), 16, rules, true);
    EXPECT_EQ(f.program->step_order().moved_steps, 0u);
    return f.program->step_order().not_tried;
  };
  EXPECT_THAT(why(SymShape(Shape{8}), true, 0), HasSubstr("there is none"));
  EXPECT_THAT(why(SymShape(), true, 1), HasSubstr("nobody knows the rank of x"));
  EXPECT_THAT(why(SymShape(Shape{8}), false, 1), HasSubstr("nothing is reused"));
}

}  // namespace
}  // namespace waybill::exec
