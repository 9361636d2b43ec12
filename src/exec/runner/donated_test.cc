// Runs that may overwrite inputs of theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "exec/plan/plan.h"
#include "exec/testing/sample.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Builder;
using ::testing::ElementsAre;
using testing::Fixture;
using testing::Floats;

using Vector = std::vector<float>;

// A run of a program with vectors of floats; inputs of the numbers `donated` are given away, and
// output i is given over the bytes of input over[i] where that is not -1.
struct Donor {
  Donor(Builder& b, std::vector<Donation> donations, PlanRules rules = {})
      : f(b.graph(), 16, rules), donated(std::move(donations)) {
    EXPECT_TRUE(f.status.ok()) << f.status.ToString();
  }
  std::vector<Vector> Run(const std::vector<Vector>& given) {
    inputs.clear();
    for (const Vector& x : given) inputs.push_back(Floats({static_cast<int64_t>(x.size())}, x));
    std::vector<Value> out(f.program->outputs().size());
    for (const Donation& d : donated) {
      if (d.output != Donation::kNoOutput) out[d.output] = inputs[d.input];
    }
    f.env.donated = donated;
    const Status status = f.Run(inputs, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    std::vector<Vector> results;
    for (const Value& value : out) results.push_back(AsFloats(value));
    return results;
  }
  const PlanFigures& figures() { return f.program->plans().Latest()->figures; }

  Fixture f;
  std::vector<Donation> donated;
  std::vector<Value> inputs;
};

TEST(Donated, ValuesAreMadeInInputsThatNobodyNeeds) {
  Builder b;
  b.Output(b.Op("Scratch", {b.Op("Add1", {b.Input("x")}, "t")}, "y"));
  const Vector x(1000, 1.0f);
  Donor kept(b, {}), given(b, {{0}});
  const auto out = kept.Run({x});
  EXPECT_EQ(AsFloats(kept.inputs[0]), x);
  EXPECT_EQ(given.Run({x}), out);
  EXPECT_EQ(AsFloats(given.inputs[0]), Vector(1000, 2.0f));
  EXPECT_EQ(given.figures().donated_values, 1u);
  EXPECT_EQ(given.figures().donated_bytes, 4000u);
  EXPECT_EQ(kept.figures().donated_values, 0u);
  EXPECT_LE(given.figures().slab_bytes + 4000, kept.figures().slab_bytes);
  given.Run({x});
  EXPECT_EQ(given.f.program->account().Read().donated_bytes, 8000u);
  EXPECT_EQ(kept.f.program->account().Read().donated_bytes, 0u);
}

TEST(Donated, NotWhileTheInputIsRead) {
  Builder b;
  const auto x = b.Input("x");
  const auto view = b.Op("Flat", {x}, "view");
  const auto t = b.Op("Add1", {x}, "t");
  b.Output(b.Op("Scratch", {b.Op("Add", {t, view}, "sum")}, "y"));
  Donor given(b, {{0}});
  EXPECT_THAT(given.Run({{1, 2}}), ElementsAre(ElementsAre(6, 10)));
  EXPECT_THAT(AsFloats(given.inputs[0]), ElementsAre(1, 2));
  EXPECT_EQ(given.figures().donated_values, 0u);
  EXPECT_EQ(given.figures().in_place, 1u);  // the sum over t
}

// Through views, over one half while the other is needed, and once more over the result.
TEST(Donated, ViewsAndPartsOfInputs) {
  Builder b;
  const auto low = b.Add("low"), high = b.Add("high");
  b.Node("Halves", {b.Op("Flat", {b.Input("x")}, "flat")}, {low, high});
  const auto more = b.Op("Add1", {b.Op("Add1", {high}, "one")}, "two");
  b.Output(b.Op("Scratch", {b.Op("Add", {more, low}, "sum")}, "y"));
  Donor given(b, {{0}}, {.poison_freed = true});
  EXPECT_THAT(given.Run({{1, 2, 3, 4}}), ElementsAre(ElementsAre(12, 16)));
  EXPECT_THAT(AsFloats(given.inputs[0]), ElementsAre(1, 2, 6, 8));
  EXPECT_EQ(given.figures().donated_values, 3u);
}

TEST(Donated, OutputsHaveTheirOwnBytesUnlessAsked) {
  Builder b;
  b.Output(b.Op("Flat", {b.Op("Add1", {b.Input("x")}, "t")}, "y"));
  Donor given(b, {{0}});
  EXPECT_THAT(given.Run({{1, 2}}), ElementsAre(ElementsAre(2, 3)));
  EXPECT_THAT(AsFloats(given.inputs[0]), ElementsAre(1, 2));
  EXPECT_EQ(given.figures().donated_values, 0u);

  Donor asked(b, {{0, 0}});
  for (int run = 0; run < 2; ++run) {
    const auto before = asked.f.ledger->Snapshot()[0].total.takes;
    EXPECT_THAT(asked.Run({{1, 2}}), ElementsAre(ElementsAre(2, 3)));
    EXPECT_THAT(AsFloats(asked.inputs[0]), ElementsAre(2, 3));
    EXPECT_EQ(asked.f.ledger->Snapshot()[0].total.takes, before);  // neither copy nor output
  }
  EXPECT_EQ(asked.figures().donated_values, 1u);
}

// A step that can not work in place, or an input that is needed: it is copied, the output is right.
TEST(Donated, AskedForWhereItCanNotBe) {
  Builder scratch;
  scratch.Output(scratch.Op("Scratch", {scratch.Input("x")}, "y"));
  Donor first(scratch, {{0, 0}});
  EXPECT_THAT(first.Run({{1, 2}}), ElementsAre(ElementsAre(2, 4)));
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Add1", {x}, "y"));
  b.Output(b.Op("Scratch", {x}, "z"));
  for (const bool poison : {false, true}) {
    Donor second(b, {{0, 0}}, {.poison_freed = poison});
    EXPECT_THAT(second.Run({{1, 2}}), ElementsAre(ElementsAre(2, 3), ElementsAre(2, 4)));
    EXPECT_EQ(second.figures().donated_values, 0u);
  }
}

// An output that is a view of the input is the input, and nothing is made over it.
TEST(Donated, OutputsThatAreTheInput) {
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Flat", {x}, "y"));
  b.Output(b.Op("Scratch", {b.Op("Add1", {x}, "t")}, "z"));
  for (const uint32_t output : {0u, Donation::kNoOutput}) {
    Donor given(b, {{0, output}});
    EXPECT_THAT(given.Run({{1, 2}}), ElementsAre(ElementsAre(1, 2), ElementsAre(4, 6)));
    EXPECT_EQ(given.figures().donated_values, 0u);
  }
}

TEST(Donated, IsPartOfTheKey) {
  Builder b;
  b.Output(b.Op("Scratch", {b.Op("Add1", {b.Input("x")}, "t")}, "y"));
  Donor d(b, {{0}});
  d.Run({{1, 2}});
  EXPECT_EQ(d.figures().donated_values, 1u);
  d.donated = {};
  d.Run({{1, 2}});
  EXPECT_EQ(d.figures().donated_values, 0u);
  EXPECT_THAT(AsFloats(d.inputs[0]), ElementsAre(1, 2));
  d.donated = {{0, 0}};
  d.Run({{1, 2}});
  EXPECT_EQ(d.f.program->plans().Stats().plans, 3u);
  EXPECT_EQ(d.f.program->plans().Stats().misses, 3u);
}

// Views that are made in the run may be read later than anybody knows when it is planned.
TEST(Donated, NothingInPlansThatLeaveThingsOpen) {
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Positive", {x}, "p"));
  b.Output(b.Op("Scratch", {b.Op("Add1", {x}, "t")}, "y"));
  for (const uint32_t output : {1u, Donation::kNoOutput}) {
    Donor given(b, {{0, output}});
    EXPECT_THAT(given.Run({{1, -2}}), ElementsAre(ElementsAre(1), ElementsAre(4, -2)));
    EXPECT_EQ(given.figures().donated_values, 0u);
  }
}

TEST(Donated, WithoutReuseNothingIsOverwritten) {
  Builder b;
  b.Output(b.Op("Scratch", {b.Op("Add1", {b.Input("x")}, "t")}, "y"));
  Donor given(b, {{0}}, {.reuse = false});
  EXPECT_THAT(given.Run({{1, 2}}), ElementsAre(ElementsAre(4, 6)));
  EXPECT_THAT(AsFloats(given.inputs[0]), ElementsAre(1, 2));
}

// Random graphs of steps that may and may not work in place, views, parts and pieces.
void AddRandomSteps(Builder& b, std::mt19937& random) {
  std::vector<graph::ValueId> values = {b.Input("a"), b.Input("b")};
  const auto any = [&] {
    const size_t reach = std::min<size_t>(values.size(), 4);
    return random() % 4 == 0 ? values[random() % values.size()]
                             : values[values.size() - 1 - random() % reach];
  };
  const int steps = 3 + static_cast<int>(random() % 12);
  for (int i = 0; i < steps; ++i) {
    const std::string name = "v" + std::to_string(i);
    switch (random() % 5) {
      case 0:
        values.push_back(b.Op("Scratch", {any()}, name));
        break;
      case 1:
        values.push_back(b.Op("Flat", {any()}, name));
        break;
      case 2:
        values.push_back(b.Op("Add", {any(), any()}, name));
        break;
      case 3: {
        const auto low = b.Add(name + "l"), high = b.Add(name + "h");
        b.Node("Halves", {any()}, {low, high});
        values.push_back(b.Op("Cat", {high, b.Op("Add1", {low}, name + "o")}, name));
        break;
      }
      default:
        values.push_back(b.Op("Add1", {any()}, name));
    }
  }
  b.Output(values.back());
  b.Output(any());
}

TEST(Donated, GivesTheSameOutputs) {
  const Vector a = {1, 2, 3, 4, 5, 6, 7, 8}, c = {8, 6, 4, 2, 1, 3, 5, 7};
  size_t values = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    Builder b;
    AddRandomSteps(b, random);
    const auto expected = Donor(b, {}).Run({a, c});
    for (const std::vector<Donation>& donated : std::vector<std::vector<Donation>>{
             {{0}}, {{0}, {1}}, {{0, 0}}, {{0, 1}, {1}}, {{0}, {1, 0}}, {{0, 1}, {1, 0}}}) {
      Donor given(b, donated, {.poison_freed = seed % 2 == 0});
      ASSERT_EQ(given.Run({a, c}), expected) << seed;
      values += given.figures().donated_values;
    }
  }
  EXPECT_GT(values, 1000u);
}

}  // namespace
}  // namespace waybill::exec
