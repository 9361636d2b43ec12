// Random nests of If, Loop and Scan: however a run is planned it gives the same bits, and a plan
// says exactly what it would take without reuse.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "exec/testing/figures.h"
#include "exec/testing/sample.h"

namespace waybill::exec {
namespace {

using testing::Bool;
using testing::Builder;
using testing::FiguresOf;
using testing::Floats;
using testing::Ints;

constexpr int64_t kElems = 80;

// Every value is a vector of kElems floats, so that any can be what another one is made of.
class Nest {
 public:
  explicit Nest(uint32_t seed) : random_(seed) {
    Level main{b_, {b_.Input("x")}, b_.Input("cond", DType::kBool)};
    Fill(main, 0);
    b_.Output(main.values.back());
    if (Draw(2) == 0) b_.Output(main.values[Draw(main.values.size() - 1) + 1]);
  }
  Builder& builder() { return b_; }

 private:
  struct Level {
    Builder& b;
    std::vector<graph::ValueId> values;
    graph::ValueId cond;  // known in the run only
  };

  size_t Draw(size_t below) { return random_() % below; }
  std::string Name() { return "v" + std::to_string(next_name_++); }
  graph::ValueId Any(const Level& level) { return level.values[Draw(level.values.size())]; }

  // The last value is made in this level.
  void Fill(Level& level, int depth) {
    for (size_t i = 0, count = 2 + Draw(6); i < count; ++i) {
      const size_t kind = Draw(depth < 3 ? 9 : 6);
      level.values.push_back(kind < 6 ? AddPlain(level, kind) : AddControl(level, kind, depth));
    }
    level.values.push_back(AddPlain(level, Draw(3)));
  }

  graph::ValueId AddPlain(Level& level, size_t kind) {
    Builder& b = level.b;
    const auto from = Any(level);
    if (kind == 0) return b.Op("Add1", {from}, Name());
    if (kind == 1) return b.Op("Scratch", {from}, Name());
    if (kind == 2) return b.Op("Add", {from, Any(level)}, Name());
    if (kind == 3) return b.Op("Flat", {from}, Name());
    const auto low = b.Add(Name()), high = b.Add(Name());
    b.Node("Halves", {from}, {low, high});
    const auto more = b.Op(kind == 4 ? "Add1" : "Scratch", {low}, Name());
    return b.Op("Cat", {high, more}, Name());
  }

  // A level in `body` with captures of `outer`, and inputs of its own.
  Level Inside(Builder& body, const Level& outer, size_t num_inputs) {
    Level level{body, {}, graph::kNoValue};
    for (size_t i = 0; i < num_inputs; ++i) level.values.push_back(body.Input(Name()));
    for (size_t i = 0, count = 1 + Draw(2); i < count; ++i) {
      level.values.push_back(body.Capture(Any(outer), Name()));
    }
    level.cond = body.Capture(outer.cond, Name(), DType::kBool);
    return level;
  }

  graph::ValueId AddControl(Level& level, size_t kind, int depth) {
    if (kind == 6) return AddIf(level, depth);
    return kind == 7 ? AddLoop(level, depth) : AddScan(level, depth);
  }

  graph::ValueId AddIf(Level& level, int depth) {
    Builder yes, no;
    for (Builder* branch : {&yes, &no}) {
      Level inside = Inside(*branch, level, 0);
      Fill(inside, depth + 1);
      branch->Output(inside.values.back());
    }
    const bool known = Draw(3) == 0;
    const auto cond = known ? level.b.Constant(Name(), Bool(Draw(2) == 0)) : level.cond;
    const auto y = level.b.Add(Name());
    auto& node = level.b.Node("If", {cond}, {y}, "");
    node.attrs.Set("then_branch", yes.ptr());
    node.attrs.Set("else_branch", no.ptr());
    return y;
  }

  graph::ValueId AddLoop(Level& level, int depth) {
    Builder body;
    body.Input(Name(), DType::kI64);
    const auto go_on = body.Input(Name(), DType::kBool);
    Level inside = Inside(body, level, 2);
    Fill(inside, depth + 1);
    body.Output(go_on);
    body.Output(inside.values.back());
    body.Output(Any(inside));
    const bool stacks = Draw(2) == 0;
    if (stacks) body.Output(body.Op("Add1", {Any(inside)}, Name()));
    const auto trips = level.b.Constant(Name(), Ints({}, {static_cast<int64_t>(1 + Draw(4))}));
    std::vector<graph::ValueId> outputs = {level.b.Add(Name()), level.b.Add(Name())};
    if (stacks) outputs.push_back(level.b.Add(Name()));  // nobody reads it
    level.b.Node("Loop", {trips, graph::kNoValue, Any(level), Any(level)}, outputs, "")
        .attrs.Set("body", body.ptr());
    return outputs[Draw(2)];
  }

  // Over one row.
  graph::ValueId AddScan(Level& level, int depth) {
    Builder body;
    Level inside = Inside(body, level, 2);
    Fill(inside, depth + 1);
    body.Output(inside.values.back());
    body.Output(body.Op("Add1", {Any(inside)}, Name()));
    const auto shape = level.b.Constant(Name(), Ints({2}, {1, kElems}));
    const auto row = level.b.Op("Reshape", {Any(level), shape}, Name());
    const auto last = level.b.Add(Name()), all = level.b.Add(Name());
    auto& node = level.b.Node("Scan", {Any(level), row}, {last, all}, "");
    node.attrs.Set("body", body.ptr());
    node.attrs.Set("num_scan_inputs", int64_t{1});
    return Draw(2) == 0 ? last : level.b.Op("Flat", {all}, Name());
  }

  std::mt19937 random_;
  int next_name_ = 0;
  Builder b_;
};

TEST(Bodies, NestsSayWhatTheyTakeWithoutReuse) {
  size_t planned = 0, no_reuse = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Nest nest(seed);
    const std::vector<float> x(kElems, 1.0f / 64);
    const PlanFigures figures =
        FiguresOf(nest.builder(), {Floats({kElems}, x), Bool(seed % 2 == 0)});
    if (HasFailure()) return;
    planned += figures.slab_bytes;
    no_reuse += figures.no_reuse_bytes;
  }
  EXPECT_LT(planned, no_reuse / 2);
}

}  // namespace
}  // namespace waybill::exec
