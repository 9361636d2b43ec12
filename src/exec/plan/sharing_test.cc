// Who shares bytes: parts of inputs, pieces of outputs, results over operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "exec/plan/plan.h"
#include "exec/testing/sample.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Builder;
using ::testing::ElementsAre;
using testing::Fixture;
using testing::Floats;

// The outputs of one run on `x`, with reuse, with poison and with neither; `figures` of the first.
std::vector<std::vector<float>> RunAllWays(Builder& b, const std::vector<float>& x,
                                           PlanFigures* figures = nullptr) {
  std::vector<std::vector<float>> first;
  for (const PlanRules& rules :
       {PlanRules{}, PlanRules{.poison_freed = true}, PlanRules{.reuse = false}}) {
    Fixture f(b.graph(), 16, rules);
    EXPECT_TRUE(f.status.ok()) << f.status.ToString();
    std::vector<std::vector<float>> outputs;
    for (int run = 0; run < 2; ++run) {
      std::vector<Value> out;
      const Status status = f.Run({Floats({static_cast<int64_t>(x.size())}, x)}, out);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) return {};
      outputs.clear();
      for (const Value& value : out) outputs.push_back(AsFloats(value));
      if (first.empty()) first = outputs;
      EXPECT_EQ(outputs, first) << rules.poison_freed << rules.reuse;
    }
    const PlanFigures& now = f.program->plans().Latest()->figures;
    if (!rules.reuse) {
      EXPECT_EQ(now.parts + now.in_place, 0u);
      EXPECT_GE(now.slab_bytes, now.bound_bytes);
    } else if (figures != nullptr) {
      *figures = now;
    }
  }
  return first;
}

std::pair<graph::ValueId, graph::ValueId> Halves(Builder& b, graph::ValueId x) {
  const auto low = b.Add("low"), high = b.Add("high");
  b.Node("Halves", {x}, {low, high});
  return {low, high};
}

TEST(Sharing, PartsStayWhereTheyAre) {
  Builder b;
  const auto [low, high] = Halves(b, b.Op("Scratch", {b.Input("x")}, "s"));
  b.Output(b.Op("Scratch", {b.Op("Add", {low, high}, "sum")}, "y"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2, 3, 4}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(16, 24)));
  EXPECT_EQ(figures.parts, 2u);
  EXPECT_EQ(figures.part_bytes, 16u);
  EXPECT_EQ(figures.in_place, 1u);  // the sum over its first operand, which is half of s
}

TEST(Sharing, StepsOfNothingButPartsAreSkipped) {
  Builder b;
  const auto [low, high] = Halves(b, b.Op("Scratch", {b.Input("x")}, "s"));
  b.Output(b.Op("Add", {low, high}, "y"));
  Fixture f(b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({2}, {1, 2})}, out).ok());
  EXPECT_EQ(f.program->plans().Latest()->steps[1].mode, StepMode::kSkip);
}

// The upper half is overwritten while the lower one waits for its reader.
TEST(Sharing, OverOnePartWhileTheOtherIsNeeded) {
  Builder b;
  const auto [low, high] = Halves(b, b.Op("Scratch", {b.Input("x")}, "s"));
  const auto more = b.Op("Add1", {high}, "more");
  b.Output(b.Op("Scratch", {b.Op("Add", {more, low}, "sum")}, "y"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2, 3, 4}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(18, 26)));
  EXPECT_EQ(figures.in_place, 2u);
}

// Not while somebody reads the same bytes through another name.
TEST(Sharing, NotOverPartsOfWhatIsNeeded) {
  Builder b;
  const auto s = b.Op("Scratch", {b.Input("x")}, "s");
  const auto [low, high] = Halves(b, s);
  b.Output(b.Op("Scratch", {b.Op("Add1", {low}, "one")}, "y"));
  b.Output(b.Op("Scratch", {b.Op("Add1", {high}, "two")}, "z"));
  b.Output(b.Op("Scratch", {s}, "whole"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2, 3, 4}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(6, 10), ElementsAre(14, 18), ElementsAre(4, 8, 12, 16)));
  EXPECT_EQ(figures.in_place, 0u);
}

TEST(Sharing, PartsOfInputsAndTheirViews) {
  Builder b;
  const auto [low, high] = Halves(b, b.Input("x"));
  b.Output(b.Op("Flat", {high}, "view"));  // copied at the end
  b.Output(low);                           // copied by its step
  b.Output(b.Op("Add", {low, high}, "sum"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2, 3, 4}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(3, 4), ElementsAre(1, 2), ElementsAre(4, 6)));
  EXPECT_EQ(figures.parts, 1u);
}

// A view of a part is an output: its bytes stay until they are copied.
TEST(Sharing, ViewsOfPartsThatAreOutputs) {
  Builder b;
  const auto [low, high] = Halves(b, b.Op("Scratch", {b.Input("x")}, "s"));
  b.Output(b.Op("Flat", {high}, "view"));
  auto h = b.Op("Scratch", {low}, "h");
  for (int i = 0; i < 4; ++i) h = b.Op("Scratch", {h}, "h" + std::to_string(i));
  b.Output(h);
  const auto out = RunAllWays(b, {1, 2, 3, 4});
  EXPECT_THAT(out, ElementsAre(ElementsAre(6, 8), ElementsAre(64, 128)));
}

// One half is read at the very end: kept as a part, it would keep the other one too.
TEST(Sharing, PartsThatRaiseTheBoundAreCopied) {
  Builder b;
  const auto [low, high] = Halves(b, b.Op("Scratch", {b.Input("x")}, "s"));
  auto h = b.Op("Scratch", {high}, "h");
  for (int i = 0; i < 3; ++i) h = b.Op("Scratch", {h}, "h" + std::to_string(i));
  const auto sum = b.Op("Add", {h, low}, "sum");
  b.Output(b.Op("Scratch", {sum}, "y"));
  const std::vector<float> x(4096, 1.0f);
  PlanFigures figures;
  const auto out = RunAllWays(b, x, &figures);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0], std::vector<float>(2048, 68.0f));
  EXPECT_LT(figures.parts, 2u);
  EXPECT_LE(figures.slab_bytes, 32768u);
}

TEST(Sharing, PiecesAreMadeInTheWhole) {
  Builder b;
  const auto x = b.Input("x");
  const auto a = b.Op("Scratch", {x}, "a"), c = b.Op("Add1", {x}, "c");
  const auto ac = b.Op("Cat", {a, c}, "ac");
  const auto d = b.Op("Scratch", {c}, "d");
  b.Output(b.Op("Cat", {ac, d}, "y"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(2, 4, 2, 3, 4, 6)));
  EXPECT_EQ(figures.parts, 4u);  // a and c in ac, ac and d in y
}

// Of equal operands only one can lie in the whole; outputs and inputs are copied.
TEST(Sharing, PiecesThatCanNotMove) {
  Builder b;
  const auto x = b.Input("x");
  const auto a = b.Op("Scratch", {x}, "a"), o = b.Op("Add1", {x}, "o");
  b.Output(b.Op("Cat", {a, a}, "aa"));
  b.Output(b.Op("Cat", {x, o}, "xo"));
  b.Output(o);
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2}, &figures);
  EXPECT_THAT(out,
              ElementsAre(ElementsAre(2, 4, 2, 4), ElementsAre(1, 2, 2, 3), ElementsAre(2, 3)));
  EXPECT_EQ(figures.parts, 1u);
}

// A piece that is read again after the whole was made must not be overwritten by its reader.
TEST(Sharing, PiecesAreReadAfterwards) {
  Builder b;
  const auto x = b.Input("x");
  const auto a = b.Op("Scratch", {x}, "a"), c = b.Op("Scratch", {x}, "c");
  const auto whole = b.Op("Cat", {a, c}, "whole");
  const auto more = b.Op("Add1", {a}, "more");
  b.Output(b.Op("Scratch", {whole}, "y"));
  b.Output(b.Op("Scratch", {b.Op("Add", {more, c}, "sum")}, "z"));
  const auto out = RunAllWays(b, {1, 2});
  EXPECT_THAT(out, ElementsAre(ElementsAre(4, 8, 4, 8), ElementsAre(10, 18)));
}

TEST(Sharing, RowsAreMadeInTheWhole) {
  Builder b;
  const auto x = b.Input("x");
  const auto a = b.Op("Rows", {x}, "a"), c = b.Op("Rows", {b.Op("Scratch", {x}, "s")}, "c");
  b.Output(b.Op("Scratch", {b.Op("Weave", {a, c}, "ac")}, "y"));
  b.Output(b.Op("Weave", {b.Op("Rows", {x}, "d"), b.Op("Rows", {x}, "e")}, "z"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2, 3, 4}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(4, 6, 6, 10, 8, 10, 14, 18),
                               ElementsAre(2, 3, 2, 3, 4, 5, 4, 5)));
  EXPECT_EQ(figures.parts, 4u);
  EXPECT_EQ(figures.part_bytes, 64u);
}

// Only for those whose producer writes rows apart and that nobody else reads or is given: the
// others are copied beside them.
TEST(Sharing, RowsThatCanNotMove) {
  Builder b;
  const auto x = b.Input("x");
  const auto rows = [&](std::string name) { return b.Op("Rows", {x}, std::move(name)); };
  b.Output(b.Op("Weave", {rows("a"), b.Op("Scratch", {x}, "dense")}, "y0"));
  const auto before = rows("before"), after = rows("after"), twice = rows("twice");
  b.Output(b.Op("Scratch", {before}, "r0"));
  b.Output(b.Op("Weave", {before, after}, "y1"));
  b.Output(b.Op("Scratch", {after}, "r1"));
  b.Output(b.Op("Weave", {twice, twice}, "y2"));
  const auto given = rows("given"), viewed = rows("viewed");
  b.Output(b.Op("Weave", {given, b.Op("Flat", {viewed}, "view")}, "y3"));
  b.Output(given);
  b.Output(b.Op("Weave", {b.Op("Add1", {rows("under")}, "over"), x}, "y4"));
  PlanFigures figures;
  const auto out = RunAllWays(b, {1, 2}, &figures);
  EXPECT_THAT(out, ElementsAre(ElementsAre(2, 3, 2, 4), ElementsAre(4, 6), ElementsAre(2, 3, 2, 3),
                               ElementsAre(4, 6), ElementsAre(2, 3, 2, 3), ElementsAre(2, 3, 2, 3),
                               ElementsAre(2, 3), ElementsAre(3, 4, 1, 2)));
  EXPECT_EQ(figures.parts, 1u);
}

// Made in the whole, the first rows would hold all of it while the chain runs.
TEST(Sharing, RowsThatRaiseTheBoundAreCopied) {
  Builder b;
  const auto x = b.Input("x");
  const auto early = b.Op("Rows", {x}, "early");
  auto h = b.Op("Scratch", {x}, "h");
  for (int i = 0; i < 3; ++i) h = b.Op("Scratch", {h}, "h" + std::to_string(i));
  b.Output(b.Op("Scratch", {h}, "end"));
  b.Output(Halves(b, b.Op("Weave", {early, b.Op("Rows", {x}, "late")}, "both")).first);
  const std::vector<float> values(4096, 1.0f);
  PlanFigures figures;
  RunAllWays(b, values, &figures);
  EXPECT_EQ(figures.parts, 1u);  // the late ones
  EXPECT_EQ(figures.slab_bytes, 4u * 16384);
}

// Poison is there: a kernel that relies on old contents gives NaN.
TEST(Sharing, PoisonShowsStaleReads) {
  Builder b;
  const auto s = b.Op("Scratch", {b.Input("x")}, "s");
  b.Output(b.Op("Stale", {b.Op("Scratch", {s}, "t")}, "y"));
  Fixture f(b.graph(), 16, {.poison_freed = true});
  for (int run = 0; run < 2; ++run) {
    std::vector<Value> out;
    ASSERT_TRUE(f.Run({Floats({4}, {1, 2, 3, 4})}, out).ok());
    for (const float value : AsFloats(out[0])) EXPECT_TRUE(std::isnan(value)) << value;
  }
}

}  // namespace
}  // namespace waybill::exec
