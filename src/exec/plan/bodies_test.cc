// Control flow whose bodies are planned with what is around them: what they count in the plan, and
// which branches are planned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/plan/control_plan.h"
#include "exec/testing/figures.h"
#include "exec/testing/sample.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Bool;
using testing::Builder;
using ::testing::ElementsAre;
using testing::FiguresOf;
using testing::Fixture;
using testing::Floats;
using ::testing::HasSubstr;
using testing::Ints;

graph::Node& If(Builder& b, graph::ValueId cond, Builder& yes, Builder& no, graph::ValueId y) {
  graph::Node& node = b.Node("If", {cond}, {y}, "");
  node.attrs.Set("then_branch", yes.ptr());
  node.attrs.Set("else_branch", no.ptr());
  return node;
}

// `steps` values one after the other, of which each needs the one before.
graph::ValueId Chain(Builder& b, graph::ValueId from, int steps, const std::string& name) {
  for (int i = 0; i < steps; ++i) {
    const char* const op = i % 3 == 0 ? "Scratch" : "Add1";
    from = b.Op(op, {from}, name + std::to_string(i));
  }
  return b.Op("Add1", {b.Op("Flat", {from}, name + "flat")}, name + "end");
}

TEST(Bodies, OfAnIfCountTheWidestInBytesAndBothInValues) {
  Builder b, yes, no;
  const auto cond = b.Input("cond", DType::kBool);
  const auto x = b.Input("x");
  const auto h = b.Op("Scratch", {x}, "h");
  yes.Output(Chain(yes, yes.Capture(h, "h"), 2, "a"));
  no.Output(Chain(no, no.Capture(h, "h"), 6, "b"));
  const auto y = b.Add("y");
  If(b, cond, yes, no, y);
  b.Output(b.Op("Scratch", {y}, "z"));
  const Value x64 = Floats({64}, std::vector<float>(64, 1));  // 256 bytes, as is its scratch
  const PlanFigures figures = FiguresOf(b, {Bool(true), x64});
  // h, y, h's and z's scratch, and of the else branch 6 values and the scratch of 2 of them.
  EXPECT_EQ(figures.no_reuse_bytes, (4 + 8) * 256u);
  EXPECT_EQ(figures.requests, 4u + 8);
  EXPECT_EQ(figures.planned_values, 3u + 3 + 7);  // h, y and z; a0 to a1 and b0 to b5 with ends
  EXPECT_EQ(figures.views, 2u);
  EXPECT_EQ(figures.view_bytes, 256u);
  // a1 over a0, its end over that; b1, b2, b4, b5 and the end likewise.
  EXPECT_EQ(figures.in_place, 2u + 5);
  EXPECT_EQ(FiguresOf(b, {Bool(false), x64}).slab_bytes, figures.slab_bytes);
}

// total' = chain(total) + x (captured), i + 1 < n; scan output: total'.
graph::ValueId AddLoop(Builder& b, Builder& body, graph::ValueId trips, graph::ValueId x) {
  body.Input("i", DType::kI64);
  const auto go = body.Input("c", DType::kBool);
  const auto total = body.Input("total");
  body.Output(go);
  const auto next = body.Op("Add", {Chain(body, total, 4, "t"), body.Capture(x, "x")}, "next");
  body.Output(next);
  body.Output(body.Op("Add1", {next}, "each"));
  const auto last = b.Add("last"), all = b.Add("all");
  b.Node("Loop", {trips, graph::kNoValue, x}, {last, all}, "").attrs.Set("body", body.ptr());
  b.Output(all);
  return last;
}

TEST(Bodies, OfALoopCountOnce) {
  size_t bytes = 0;
  for (const int64_t trips : {2, 5}) {
    Builder b, body;
    const auto x = b.Op("Add1", {b.Input("x")}, "h");
    b.Output(b.Op("Add1", {AddLoop(b, body, b.Constant("n", Ints({}, {trips})), x)}, "y"));
    const PlanFigures figures = FiguresOf(b, {Floats({50}, std::vector<float>(50, 1))});
    if (bytes == 0) bytes = figures.no_reuse_bytes;
    EXPECT_EQ(figures.no_reuse_bytes, bytes);
    EXPECT_GT(figures.no_reuse_bytes, figures.slab_bytes);
  }
}

TEST(Bodies, OfAScanCountOnce) {
  Builder b, body;
  const auto state = b.Op("Add1", {b.Input("state")}, "s0");
  const auto rows = b.Op("Scratch", {b.Input("rows")}, "r");
  const auto sum = body.Op("Add", {body.Input("s"), body.Input("row")}, "sum");
  body.Output(sum);
  body.Output(Chain(body, sum, 5, "c"));
  const auto last = b.Add("last"), all = b.Add("all");
  auto& node = b.Node("Scan", {state, rows}, {last, all}, "");
  node.attrs.Set("body", body.ptr());
  node.attrs.Set("num_scan_inputs", int64_t{1});
  b.Output(b.Op("Add1", {last}, "y"));
  b.Output(all);
  const PlanFigures figures =
      FiguresOf(b, {Floats({2}, {0, 0}), Floats({3, 2}, {1, 2, 3, 4, 5, 6})});
  EXPECT_GT(figures.no_reuse_bytes, figures.slab_bytes);
}

TEST(Bodies, OfBodiesCountToo) {
  Builder b, yes, no, body, inner_yes, inner_no;
  const auto cond = b.Input("cond", DType::kBool);
  const auto x = b.Input("x");
  const auto in = yes.Capture(x, "x");
  const auto deep =
      yes.Op("Less", {yes.Constant("0", Ints({}, {0})), yes.Constant("1", Ints({}, {1}))}, "deep",
             DType::kBool);
  const auto picked = yes.Add("picked");
  inner_yes.Output(Chain(inner_yes, inner_yes.Capture(in, "x"), 3, "p"));
  inner_no.Output(Chain(inner_no, inner_no.Capture(in, "x"), 9, "q"));
  If(yes, deep, inner_yes, inner_no, picked);
  yes.Output(Chain(yes, picked, 2, "r"));
  no.Output(no.Op("Add1", {no.Capture(x, "x")}, "s"));
  const auto y = b.Add("y");
  If(b, cond, yes, no, y);
  b.Output(b.Op("Scratch", {AddLoop(b, body, b.Constant("n", Ints({}, {3})), y)}, "z"));
  for (const bool way : {true, false}) {
    FiguresOf(b, {Bool(way), Floats({30}, std::vector<float>(30, 2))});
  }
}

// What is decided when the plan is made is decided for bodies too, and only the branch that is
// taken is planned.
TEST(Bodies, OfBranchesThatNoRunTakesAreNotPlanned) {
  Builder b, yes, no;
  const auto x = b.Input("x");
  const auto dims = b.Op("Shape", {x}, "dims", DType::kI64, "");
  const auto few = b.Op("Less", {dims, b.Constant("limit", Ints({1}, {4}))}, "few", DType::kBool);
  yes.Output(yes.Op("Reshape", {yes.Capture(x, "x"), yes.Capture(dims, "dims", DType::kI64)}, "y"));
  no.Output(no.Op("Positive", {no.Capture(x, "x")}, "y"));
  const auto y = b.Add("y");
  If(b, few, yes, no, y);
  b.Output(b.Op("Add1", {y}, "z"));
  Fixture f(b.graph());
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({3}, {-1, 2, 3})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(0, 3, 4));
  const auto plan = f.program->plans().Latest();
  ASSERT_FALSE(plan->has_dynamic);
  const ControlPlan& control = *plan->steps[2].control;
  EXPECT_NE(control.bodies[0], nullptr);
  EXPECT_EQ(control.bodies[1], nullptr);
  // And back and forth with plans of other sizes in the same frame.
  for (int round = 0; round < 3; ++round) {
    out.clear();
    ASSERT_TRUE(f.Run({Floats({5}, {-1, 2, 3, -4, 5})}, out).ok());
    EXPECT_THAT(AsFloats(out[0]), ElementsAre(3, 4, 6));
    out.clear();
    ASSERT_TRUE(f.Run({Floats({2}, {-1, 2})}, out).ok());
    EXPECT_THAT(AsFloats(out[0]), ElementsAre(0, 3));
  }
}

// One branch is for seven elements only.
TEST(Bodies, OfBranchesThatDoNotFitLeaveTheOthersPlanned) {
  Builder b, yes, no;
  const auto cond = b.Input("cond", DType::kBool);
  const auto x = b.Input("x");
  const auto seven = yes.Constant("seven", Ints({1}, {7}));
  yes.Output(yes.Op("Reshape", {yes.Capture(x, "x"), seven}, "reshaped"));
  no.Output(no.Op("Scratch", {no.Capture(x, "x")}, "doubled"));
  const auto y = b.Add("y");
  If(b, cond, yes, no, y);
  b.Output(b.Op("Scratch", {y}, "z"));
  Fixture f(b.graph());
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Bool(false), Floats({2}, {1, 2})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(4, 8));
  EXPECT_FALSE(f.program->plans().Latest()->has_dynamic);
  out.clear();
  const Status status = f.Run({Bool(true), Floats({2}, {1, 2})}, out);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  for (const char* words : {"[2] cannot become [7]", "in the then branch", "If-13"}) {
    EXPECT_THAT(status.message(), HasSubstr(words));
  }
  out.clear();
  ASSERT_TRUE(f.Run({Bool(true), Floats({7}, {1, 2, 3, 4, 5, 6, 7})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(2, 4, 6, 8, 10, 12, 14));
  out.clear();
  ASSERT_TRUE(f.Run({Bool(false), Floats({2}, {1, 2})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(4, 8));
}

TEST(Bodies, OfTheBranchThatIsTakenMustFit) {
  Builder b, yes, no;
  const auto x = b.Input("x");
  const auto cond = b.Constant("cond", Bool(true));
  yes.Output(yes.Op("Reshape", {yes.Capture(x, "x"), yes.Constant("7", Ints({1}, {7}))}, "y"));
  no.Output(no.Op("Add1", {no.Capture(x, "x")}, "y"));
  const auto y = b.Add("y");
  If(b, cond, yes, no, y);
  b.Output(b.Op("Add1", {y}, "z"));
  Fixture f(b.graph());
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  std::vector<Value> out;
  const Status status = f.Run({Floats({2}, {1, 2})}, out);
  for (const char* words : {"[2] cannot become [7]", "in the then branch", "If-13"}) {
    EXPECT_THAT(status.message(), HasSubstr(words));
  }
}

}  // namespace
}  // namespace waybill::exec
