#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/testing/sample.h"

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

TEST(If, BranchesCaptureAndDifferInShape) {
  Builder b;
  const auto cond = b.Input("cond", DType::kBool);
  const auto x = b.Input("x");
  const auto h = b.Op("Add1", {x}, "h");
  Builder yes, no;
  yes.Output(yes.Op("Add1", {yes.Capture(h, "h")}, "y"));
  no.Output(no.Op("Positive", {no.Capture(h, "h")}, "y"));
  const auto y = b.Add("y");
  auto& node = b.Node("If", {cond}, {y}, "");
  node.attrs.Set("then_branch", yes.ptr());
  node.attrs.Set("else_branch", no.ptr());
  b.Output(b.Op("Add1", {y}, "z"));
  b.Output(y);
  Fixture f(b.graph());
  ASSERT_TRUE(f.status.ok()) << f.status.ToString();
  std::vector<Value> out;
  Status status = f.Run({Bool(true), Floats({2}, {-5, 2})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(-2, 5));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(-3, 4));
  out.clear();
  Tensor one = testing::MakeTensor<bool>(DType::kBool, {1}, {});
  one.span<bool>()[0] = false;
  status = f.Run({one, Floats({2}, {-5, 2})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(4));
}

// carried: total += x (captured); scan output: total before; stops when the counter reaches 3.
struct LoopSample {
  LoopSample() {
    trips = b.Input("trips", DType::kI64);
    cond = b.Input("cond", DType::kBool);
    start = b.Input("start");
    x = b.Input("x");
    const auto i = body.Input("i", DType::kI64);
    body.Input("c", DType::kBool);
    const auto total = body.Input("total");
    const auto limit = body.Constant("limit", Ints({}, {2}));
    body.Output(body.Op("Less", {i, limit}, "go", DType::kBool));
    body.Output(body.Op("Add", {total, body.Capture(x, "x")}, "next"));
    body.Output(total);
  }
  void Finish(std::vector<graph::ValueId> inputs) {
    const auto last = b.Add("last"), all = b.Add("all");
    b.Node("Loop", std::move(inputs), {last, all}, "").attrs.Set("body", body.ptr());
    b.Output(last);
    b.Output(all);
  }
  Builder b, body;
  graph::ValueId trips, cond, start, x;
};

TEST(Loop, CarriesStacksAndStops) {
  LoopSample s;
  s.Finish({s.trips, s.cond, s.start});
  Fixture f(s.b.graph());
  std::vector<Value> out;
  const auto run = [&](int64_t trips, bool cond) {
    out.clear();
    return f.Run({Ints({}, {trips}), Bool(cond), Floats({2}, {0, 1}), Floats({2}, {1, 10})}, out);
  };
  Status status = run(2, true);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(2, 21));
  EXPECT_EQ(out[1].tensor()->shape(), (Shape{2, 2}));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(0, 1, 1, 11));
  ASSERT_TRUE(run(100, true).ok());  // the body's condition ends it
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(3, 31));
  EXPECT_EQ(out[1].tensor()->shape(), (Shape{3, 2}));
  ASSERT_TRUE(run(5, false).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(0, 1));
  EXPECT_EQ(out[1].tensor()->shape()[0], 0);
}

// Of what a body's output is, no iteration tells: what the file declares counts where inference
// knows nothing.
TEST(Loop, StacksOfNoIterationHaveTheDeclaredShape) {
  LoopSample s;
  auto& item = s.body.graph().value(s.body.graph().outputs[2]);
  s.Finish({s.trips, s.cond, s.start});
  const auto shape_of = [&](SymShape inferred, SymShape declared) {
    item.type.shape = std::move(inferred);
    item.declared =
        std::make_shared<const ValueType>(ValueType::Tensor(DType::kF32, std::move(declared)));
    Fixture f(s.b.graph());
    std::vector<Value> out;
    const Status status =
        f.Run({Ints({}, {0}), Bool(true), Floats({2}, {0, 1}), Floats({2}, {1, 10})}, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? out[1].tensor()->shape() : Shape();
  };
  const Dim any;
  EXPECT_EQ(shape_of(SymShape(), SymShape(Shape{3, 2})), (Shape{0, 3, 2}));
  EXPECT_EQ(shape_of(SymShape(std::vector<Dim>{any, 5}), SymShape(std::vector<Dim>{3, any})),
            (Shape{0, 3, 5}));
  EXPECT_EQ(shape_of(SymShape(std::vector<Dim>{any}), SymShape(Shape{3, 2})), (Shape{0, 0}));
  EXPECT_EQ(shape_of(SymShape(), SymShape()), (Shape{0}));
}

TEST(Loop, TripCountAndConditionMayBeOmitted) {
  LoopSample s;
  s.Finish({graph::kNoValue, graph::kNoValue, s.start});
  Fixture f(s.b.graph());
  std::vector<Value> out;
  const Status status =
      f.Run({Ints({}, {0}), Bool(false), Floats({1}, {0}), Floats({1}, {1})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(3));
}

TEST(Loop, ErrorsNameIterationAndNodes) {
  LoopSample s;
  s.body.graph().outputs[1] = s.body.Op("Fail", {s.body.graph().outputs[1]}, "bad");
  s.Finish({s.trips, s.cond, s.start});
  Fixture f(s.b.graph());
  std::vector<Value> out;
  const Status status = f.Run({Ints({}, {3}), Bool(true), Floats({1}, {0}), Floats({1}, {1})}, out);
  EXPECT_THAT(status.message(), HasSubstr("iteration 0"));
  EXPECT_THAT(status.message(), HasSubstr("Fail-13"));
  EXPECT_THAT(status.message(), HasSubstr("Loop-13"));
}

// state += slice; output: state + 1
struct ScanSample {
  ScanSample() {
    state = b.Input("state");
    rows = b.Input("rows");
    const auto sum = body.Op("Add", {body.Input("s"), body.Input("row")}, "sum");
    body.Output(sum);
    body.Output(body.Op("Add1", {sum}, "out"));
  }
  graph::Node& Finish(std::vector<graph::ValueId> inputs) {
    const auto last = b.Add("last"), all = b.Add("all");
    auto& node = b.Node("Scan", std::move(inputs), {last, all}, "");
    node.attrs.Set("body", body.ptr());
    node.attrs.Set("num_scan_inputs", int64_t{1});
    b.Output(last);
    b.Output(all);
    return node;
  }
  Builder b, body;
  graph::ValueId state, rows;
};

TEST(Scan, RunsAlongAxisZero) {
  ScanSample s;
  s.Finish({s.state, s.rows});
  Fixture f(s.b.graph());
  std::vector<Value> out;
  const Status status = f.Run({Floats({2}, {0, 0}), Floats({3, 2}, {1, 2, 3, 4, 5, 6})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(9, 12));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(2, 3, 5, 7, 10, 13));
}

TEST(Scan, AxesAndDirections) {
  ScanSample s;
  auto& node = s.Finish({s.state, s.rows});
  node.attrs.Set("scan_input_axes", std::vector<int64_t>{-1});
  node.attrs.Set("scan_input_directions", std::vector<int64_t>{1});
  node.attrs.Set("scan_output_axes", std::vector<int64_t>{1});
  node.attrs.Set("scan_output_directions", std::vector<int64_t>{1});
  Fixture f(s.b.graph());
  std::vector<Value> out;
  const Status status = f.Run({Floats({2}, {0, 0}), Floats({2, 3}, {1, 3, 5, 2, 4, 6})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(9, 12));
  EXPECT_EQ(out[1].tensor()->shape(), (Shape{2, 3}));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(10, 9, 6, 13, 11, 7));
}

TEST(Scan, Opset8RunsEachBatchEntryForItsLength) {
  ScanSample s;
  const auto lengths = s.b.Input("lengths", DType::kI64);
  s.Finish({lengths, s.state, s.rows}).since_version = 8;
  Fixture f(s.b.graph());
  std::vector<Value> out;
  const Status status = f.Run(
      {Floats({2, 1}, {0, 100}), Floats({2, 3, 1}, {1, 2, 3, 4, 5, 6}), Ints({2}, {3, 2})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out[0].tensor()->shape(), (Shape{2, 1}));
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(6, 109));
  EXPECT_EQ(out[1].tensor()->shape(), (Shape{2, 3, 1}));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(2, 4, 7, 105, 110, 0));
}

TEST(SequenceMap, RunsTheBodyPerItem) {
  Builder b, body;
  const auto items = b.Input("items");
  const auto x = b.Input("x");
  b.graph().value(items).type = ValueType::Sequence(ValueType::Tensor(DType::kF32));
  body.Output(body.Op("Add", {body.Input("item"), body.Input("x")}, "sum"));
  const auto y = b.Add("y");
  b.graph().value(y).type = b.graph().value(items).type;
  b.Node("SequenceMap", {items, x}, {y}, "").attrs.Set("body", body.ptr());
  b.Output(y);
  Fixture f(b.graph());
  SequenceValue sequence;
  sequence.element = ValueType::Tensor(DType::kF32);
  sequence.items = {Floats({1}, {1}), Floats({2}, {2, 3})};
  std::vector<Value> out;
  const Status status = f.Run({Value(sequence), Floats({2}, {10, 20})}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(out[0].sequence()->items.size(), 2u);
  EXPECT_THAT(AsFloats(out[0].sequence()->items[1]), ElementsAre(12, 23));
}

}  // namespace
}  // namespace waybill::exec
