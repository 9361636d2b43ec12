#include "exec/program/survey.h"

#include <gtest/gtest.h>

#include "exec/testing/sample.h"
#include "memory/admission/budget_source.h"
#include "memory/weights/weight_load.h"

namespace waybill::exec {
namespace {

using testing::Builder;
using testing::Floats;

constexpr int64_t kMany = 2048;
constexpr size_t kManyBytes = kMany * sizeof(float);

Tensor Many(float with) { return Floats({kMany}, std::vector<float>(kMany, with)); }

// Counts what is taken for weights.
struct Counted {
  Counted() {
    options.providers = providers;
    options.source = std::make_shared<BudgetSource>(testing::Heap(), budget);
    options.let_go = [](const graph::Graph&, graph::ValueId, const graph::Constant&) {
      ADD_FAILURE() << "a survey lets nothing go";
    };
  }
  WeightSum Survey(const graph::Graph& graph, bool look_up = false) {
    const auto sum = SurveyWeights(graph, options, look_up);
    EXPECT_TRUE(sum.ok()) << sum.status().ToString();
    return sum.ok() ? *sum : WeightSum();
  }

  std::vector<kernel::Provider> providers = testing::TestProviders();
  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>(size_t{1} << 30);
  BuildOptions options;
};

// Packs one constant twice, another once, and reads a splat.
graph::GraphPtr Sample() {
  Builder b;
  const auto x = b.Input("x");
  const auto twice = b.Constant("twice", Many(1));
  const auto one = b.Op("Packed", {x, twice}, "one"), two = b.Op("Packed", {one, twice}, "two");
  const auto three = b.Op("Packed", {two, b.Constant("once", Many(2))}, "three");
  const auto splat = b.Add("splat");
  b.graph().value(splat).constant = graph::Constant::Splat(Floats({1}, {3}), {kMany});
  b.Output(b.Op("Add", {three, splat}, "y"));
  return b.ptr();
}

TEST(SurveyWeights, SaysWhatABuildTakesAndTakesNothing) {
  Counted counted;
  const graph::GraphPtr graph = Sample();
  const WeightSum sum = counted.Survey(*graph);
  EXPECT_EQ(sum.packed, 3 * kManyBytes);
  EXPECT_EQ(counted.budget->peak(), 0u);

  WeightStore store;
  WeightLoad load(store);
  counted.options.weights = &load;
  counted.options.let_go = {};
  BuildReport report;
  const auto program = Program::Build(*graph, counted.options, report);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_EQ(counted.budget->in_use(), sum.packed);
}

TEST(SurveyWeights, LeavesOutWhatOthersShareWhereItLooksThemUp) {
  WeightStore store;
  WeightLoad load(store);
  Counted first;
  first.options.weights = &load;
  first.options.let_go = {};
  const graph::GraphPtr graph = Sample();
  BuildReport report;
  const auto program = Program::Build(*graph, first.options, report);
  ASSERT_TRUE(program.ok());

  Counted second;
  WeightLoad other(store);
  second.options.weights = &other;
  const graph::GraphPtr same = Sample();
  EXPECT_EQ(second.Survey(*same, false).packed, 3 * kManyBytes);
  EXPECT_EQ(second.Survey(*same, true).packed, kManyBytes) << "the splat is not looked up";
  // Equal constants of one graph are told by their contents.
  Builder b;
  const auto x = b.Input("x");
  const auto one = b.Op("Packed", {x, b.Constant("c", Many(7))}, "one");
  b.Output(b.Op("Packed", {one, b.Constant("d", Many(7))}, "y"));
  EXPECT_EQ(second.Survey(b.graph(), false).packed, 2 * kManyBytes);
  EXPECT_EQ(second.Survey(b.graph(), true).packed, kManyBytes);
  EXPECT_EQ(second.budget->peak(), 0u);
}

TEST(SurveyWeights, ConstantsMadeWhileLoadingGoWhenNobodyElseHoldsThem) {
  WeightStore store;
  WeightLoad load(store);
  Counted counted;
  counted.options.weights = &load;
  for (const bool keeps : {false, true}) {
    Tensor constant = Many(1);
    const Tensor kept = keeps ? constant : Tensor();
    Builder b;
    b.Output(b.Op("Packed", {b.Input("x"), b.Constant("c", std::move(constant))}, "y"));
    EXPECT_EQ(counted.Survey(b.graph()).released, keeps ? 0u : kManyBytes);
  }
}

}  // namespace
}  // namespace waybill::exec
