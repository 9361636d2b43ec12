// Dynamic sizes and control flow through a whole session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/session_fixture.h"

namespace waybill::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Value Bool(bool value) { return MakeTensor<bool>(DType::kBool, Shape(), {value}); }

TEST_F(SessionTest, NonZeroChainIsDynamic) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n"});
  graph.Node("Relu", {"x"}, {"r"});
  graph.Node("NonZero", {"r"}, {"nz"});
  graph.Node("Transpose", {"nz"}, {"t"}).Ints("perm", {1, 0});
  graph.Node("Add", {"t", "t"}, {"y"});
  graph.Output("y", onnx::kInt64, {"k", 1});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  for (int run = 0; run < 2; ++run) {
    std::vector<Value> out;
    const Status status = Run(*session, {"x"}, {Floats({4}, {1, -2, 0, 3})}, {"y"}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(out[0].tensor()->shape(), (Shape{2, 1}));
    EXPECT_EQ(out[0].tensor()->span<int64_t>()[1], 6);
  }
  EXPECT_GT(session->PlanFor({}, {})->dynamic_values, 0u);
}

TEST_F(SessionTest, IfTakesCapturesAndConstants) {
  onnx::GraphWriter yes("yes"), no("no");
  yes.Initializer(onnx::TensorWriter::Of<float>("ten", {1}, {10}));
  yes.Node("Mul", {"h", "ten"}, {"y1"});
  yes.Output("y1", onnx::kFloat, {"n"});
  no.Node("Add", {"h", "w"}, {"y2"});
  no.Output("y2", onnx::kFloat, {"n"});
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("c", onnx::kBool, {}).Input("x", onnx::kFloat, {"n"});
  graph.Initializer(onnx::TensorWriter::Of<float>("w", {1}, {100}));
  graph.Node("Relu", {"x"}, {"h"});
  graph.Node("If", {"c"}, {"y"}).Graph("then_branch", yes).Graph("else_branch", no);
  graph.Output("y", onnx::kFloat, {"n"});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  Status status = Run(*session, {"c", "x"}, {Bool(true), Floats({2}, {1, -2})}, {"y"}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(10, 0));
  out.clear();
  ASSERT_TRUE(Run(*session, {"c", "x"}, {Bool(false), Floats({2}, {1, -2})}, {"y"}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(101, 100));
}

// The body of a Loop in a branch of a function is the graph that the function is given.
TEST_F(SessionTest, FunctionRunsAGraphThatItIsGiven) {
  onnx::GraphWriter step("step"), repeat("repeat"), keep("keep");
  step.Input("i", onnx::kInt64, {}).Input("go", onnx::kBool, {}).Input("sum", onnx::kFloat, {1});
  step.Node("Identity", {"go"}, {"again"});
  step.Node("Add", {"sum", "h"}, {"next"});
  step.Output("again", onnx::kBool, {}).Output("next", onnx::kFloat, {1});
  repeat.Node("Loop", {"n", "", "a"}, {"r"}).Ref("body", "step", onnx::kAttrGraph);
  repeat.Output("r");
  keep.Node("Identity", {"a"}, {"k"});
  keep.Output("k");
  onnx::FunctionWriter maybe("f", "Maybe", {"c", "n", "a"}, {"b"});
  maybe.Opset("", 17).Attribute("step");
  maybe.Node("If", {"c"}, {"b"}).Graph("then_branch", repeat).Graph("else_branch", keep);
  onnx::ModelWriter model;
  model.Opset("", 17).Opset("f", 1).Function(maybe);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("c", onnx::kBool, {}).Input("n", onnx::kInt64, {}).Input("x", onnx::kFloat, {1});
  graph.Node("Neg", {"x"}, {"h"});
  graph.Node("Maybe", {"c", "n", "x"}, {"y"}).Domain("f").Graph("step", step);
  graph.Output("y", onnx::kFloat, {1});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  for (const bool taken : {true, false}) {
    std::vector<Value> out;
    const Status status =
        Run(*session, {"c", "n", "x"}, {Bool(taken), Ints({}, {3}), Floats({1}, {5})}, {"y"}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_THAT(AsFloats(out[0]), ElementsAre(taken ? -10 : 5));
  }
}

// No condition and nothing carried: the trip count alone, the condition omitted at the very end.
TEST_F(SessionTest, LoopOfATripCountAlone) {
  onnx::GraphWriter body("body");
  body.Input("i", onnx::kInt64, {}).Input("go", onnx::kBool, {});
  body.Node("Identity", {"go"}, {"on"});
  body.Node("Cast", {"i"}, {"f"}).Int("to", onnx::kFloat);
  body.Output("on", onnx::kBool, {}).Output("f", onnx::kFloat, {});
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("n", onnx::kInt64, {});
  graph.Node("Loop", {"n", ""}, {"all"}).Graph("body", body);
  graph.Output("all", onnx::kFloat, {"k"});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  const Status status = Run(*session, {"n"}, {Ints({}, {3})}, {"all"}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(0, 1, 2));
}

TEST_F(SessionTest, LoopSumsAndStacks) {
  onnx::GraphWriter body("body");
  body.Input("i", onnx::kInt64, {}).Input("go", onnx::kBool, {});
  body.Input("total", onnx::kFloat, {1});
  body.Node("Identity", {"go"}, {"again"});
  body.Node("Add", {"total", "x"}, {"next"});
  body.Node("Identity", {"next"}, {"seen"});
  body.Output("again", onnx::kBool, {}).Output("next", onnx::kFloat, {1});
  body.Output("seen", onnx::kFloat, {1});
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("n", onnx::kInt64, {}).Input("x", onnx::kFloat, {1});
  graph.Initializer(onnx::TensorWriter::Of<float>("zero", {1}, {0}));
  graph.Node("Loop", {"n", "", "zero"}, {"sum", "all"}).Graph("body", body);
  graph.Output("sum", onnx::kFloat, {1}).Output("all", onnx::kFloat, {"n", 1});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  const Status status =
      Run(*session, {"n", "x"}, {Ints({}, {3}), Floats({1}, {2})}, {"sum", "all"}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(6));
  EXPECT_THAT(AsFloats(out[1]), ElementsAre(2, 4, 6));
}

TEST_F(SessionTest, KernelErrorsNameNodeOpsetTypesAndShapes) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2}).Input("i", onnx::kInt64, {1});
  graph.Node("Gather", {"x", "i"}, {"y"}).Name("/pick");
  graph.Output("y", onnx::kFloat, {1});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  const Status status =
      Run(*session, {"x", "i"}, {Floats({2}, {1, 2}), Ints({1}, {5})}, {"y"}, out);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(),
              HasSubstr("/pick (Gather-13) (opset 17) on (float [2], int64 [1])"));
}

TEST_F(SessionTest, TerminateEndsARun) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {1}).Output("y", onnx::kFloat, {1});
  model.graph().Node("Relu", {"x"}, {"y"});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  const std::atomic<bool> stop = true;
  RunOptions options;
  options.terminate = &stop;
  const std::vector<std::string_view> in = {"x"}, out = {"y"};
  const std::vector<Value> inputs = {Floats({1}, {1})};
  std::vector<Value> outputs(1);
  const Status status = session->Run(options, in, inputs, out, outputs);
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_THAT(status.message(), HasSubstr("Exiting due to terminate flag being set to true."));
}

}  // namespace
}  // namespace waybill::session
