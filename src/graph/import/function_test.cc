#include <gtest/gtest.h>

#include <set>
#include <string>

#include "graph/import/testing.h"

namespace waybill::graph {
namespace {

using onnx::FunctionWriter;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

Model Load(const ModelWriter& writer) {
  Result<Model> model = LoadBytes(writer.bytes());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? std::move(model).value() : Model();
}

ModelWriter Frame() {
  ModelWriter m;
  m.Opset("", 17).Opset("f", 1);
  m.graph().Input("x", onnx::kFloat, {2, 3});
  m.graph().Output("y", onnx::kFloat, {2, 3});
  return m;
}

TEST(Functions, AttributesByCallDefaultAndNeither) {
  ModelWriter m = Frame();
  FunctionWriter f("f", "F", {"a"}, {"b"});
  f.Opset("", 13).Attribute("axis").FloatDefault("slope", 0.25f);
  f.Node("Softmax", {"a"}, {"c"}).Ref("axis", "axis", onnx::kAttrInt).Name("soft");
  f.Node("LeakyRelu", {"c"}, {"b"}).Ref("alpha", "slope", onnx::kAttrFloat).Name("leaky");
  m.Function(f);
  m.graph().Node("F", {"x"}, {"u"}).Domain("f").Name("one").Int("axis", 0);
  m.graph().Node("F", {"u"}, {"y"}).Domain("f").Name("two").Float("slope", 0.5f);
  const Model model = Load(m);
  const Graph& g = model.main;
  ASSERT_EQ(g.order().size(), 4u);
  EXPECT_EQ(g.node(0).name, "one/soft");
  EXPECT_EQ(g.node(0).attrs.Int("axis"), 0);
  EXPECT_EQ(g.node(0).opset, 13) << "the function's own import";
  EXPECT_EQ(g.node(1).attrs.Float("alpha"), 0.25f);
  EXPECT_EQ(g.node(2).attrs.Int("axis"), -1) << "dropped, so the schema's default";
  EXPECT_EQ(g.node(3).attrs.Float("alpha"), 0.5f);
  EXPECT_EQ(g.node(1).outputs[0], FindValue(g, "u")) << "outputs keep the caller's names";
}

TEST(Functions, NestedWithOverloads) {
  ModelWriter m = Frame();
  FunctionWriter one("f", "G", {"a"}, {"b"});
  one.Opset("", 17).Overload("one").Node("Relu", {"a"}, {"b"});
  FunctionWriter two("f", "G", {"a"}, {"b"});
  two.Opset("", 17).Overload("two").Node("Abs", {"a"}, {"b"});
  FunctionWriter outer("f", "F", {"a"}, {"b"});
  outer.Opset("f", 1);
  outer.Node("G", {"a"}, {"c"}).Domain("f").Overload("two");
  outer.Node("G", {"c"}, {"b"}).Domain("f").Overload("one");
  m.Function(one).Function(two).Function(outer);
  m.graph().Node("F", {"x"}, {"y"}).Domain("f");
  const Model model = Load(m);
  ASSERT_EQ(model.main.order().size(), 2u);
  EXPECT_EQ(model.main.node(0).op_type, "Abs");
  EXPECT_EQ(model.main.node(1).op_type, "Relu");
}

TEST(Functions, PassedThroughAndRepeatedOutputs) {
  ModelWriter m = Frame();
  FunctionWriter f("f", "F", {"a"}, {"a", "b", "b"});
  f.Opset("", 17).Node("Relu", {"a"}, {"b"});
  m.Function(f);
  m.graph().Node("F", {"x"}, {"y", "p", "q"}).Domain("f");
  m.graph().Output("p", onnx::kFloat, {2, 3});
  m.graph().Output("q", onnx::kFloat, {2, 3});
  const Model model = Load(m);
  EXPECT_EQ(model.main.order().size(), 3u) << "Relu and two Identities";
  for (const ValueId id : model.main.outputs) {
    EXPECT_EQ(model.main.value(id).type.ToString(), "float [2, 3]");
    EXPECT_NE(model.main.value(id).producer, kNoNode);
  }
}

TEST(Functions, OmittedInputs) {
  ModelWriter m = Frame();
  FunctionWriter f("f", "F", {"a", "low", "high"}, {"b"});
  f.Opset("", 17).Node("Clip", {"a", "low", "high"}, {"b"});
  m.Function(f);
  m.graph().Initializer(TensorWriter::Scalar<float>("h", 1));
  m.graph().Node("F", {"x", "", "h"}, {"y"}).Domain("f");
  const Model model = Load(m);
  EXPECT_FALSE(model.main.node(0).HasInput(1));
  EXPECT_TRUE(model.main.node(0).HasInput(2));
}

// The body of a subgraph inside a function reads the function's values and its attributes.
TEST(Functions, SubgraphInside) {
  ModelWriter m = Frame();
  GraphWriter branch("branch");
  branch.Node("LeakyRelu", {"a"}, {"r"}).Ref("alpha", "slope", onnx::kAttrFloat);
  branch.Output("r");
  FunctionWriter f("f", "F", {"a", "c"}, {"b"});
  f.Opset("", 17).Attribute("slope");
  f.Node("If", {"c"}, {"b"}).Graph("then_branch", branch).Graph("else_branch", branch);
  m.Function(f);
  m.graph().Input("cond", onnx::kBool, {});
  m.graph().Node("F", {"x", "cond"}, {"y"}).Domain("f").Float("slope", 0.75f);
  const Model model = Load(m);
  const Graph& body = *model.main.node(0).attrs.Subgraph("then_branch");
  ASSERT_EQ(body.captures.size(), 1u);
  EXPECT_EQ(body.captures[0].outer, FindValue(model.main, "x"));
  EXPECT_EQ(body.node(0).attrs.Float("alpha"), 0.75f);
}

// A graph attribute goes through two functions into a subgraph of a subgraph: what it reads of the
// caller is captured by each graph on the way.
TEST(Functions, GivenGraphInANestedSubgraph) {
  ModelWriter m = Frame();
  FunctionWriter inner("f", "Inner", {"d"}, {"e"});
  inner.Opset("", 17).Attribute("branch");
  inner.Node("If", {"d"}, {"e"})
      .Ref("then_branch", "branch", onnx::kAttrGraph)
      .Ref("else_branch", "branch", onnx::kAttrGraph);
  GraphWriter call("call");
  call.Node("Inner", {"c"}, {"t"}).Domain("f").Ref("branch", "given", onnx::kAttrGraph);
  call.Output("t");
  FunctionWriter outer("f", "Outer", {"c"}, {"b"});
  outer.Opset("", 17).Opset("f", 1).Attribute("given");
  outer.Node("If", {"c"}, {"b"}).Graph("then_branch", call).Graph("else_branch", call);
  m.Function(inner).Function(outer);
  GraphWriter given("given");
  given.Node("Add", {"x", "u"}, {"s"});
  given.Node("Mul", {"s", "k"}, {"r"});  // k is a constant
  given.Output("r");
  m.graph().Input("cond", onnx::kBool, {});
  m.graph().Initializer(TensorWriter::Of<float>("k", {1}, {2}));
  m.graph().Node("Neg", {"x"}, {"u"});
  m.graph().Node("Outer", {"cond"}, {"y"}).Domain("f").Graph("given", given);
  const Model model = Load(m);
  const Node& branch = model.main.node(model.main.order()[1]);
  ASSERT_EQ(branch.op_type, "If");
  const Graph& called = *branch.attrs.Subgraph("else_branch");
  const auto captures = [](const Graph& body, const Graph& around) {
    std::set<std::string> names;
    for (const Capture& capture : body.captures) {
      EXPECT_EQ(around.value(capture.outer).name, body.value(capture.inner).name);
      names.insert(body.value(capture.inner).name);
    }
    return names;
  };
  EXPECT_EQ(captures(called, model.main), (std::set<std::string>{"cond", "u", "x"}));
  ASSERT_EQ(called.order().size(), 1u);
  const Graph& body = *called.node(called.order()[0]).attrs.Subgraph("then_branch");
  EXPECT_EQ(captures(body, called), (std::set<std::string>{"u", "x"}));
  ASSERT_EQ(body.order().size(), 2u);
  const Node& scale = body.node(body.order()[1]);
  EXPECT_TRUE(body.value(scale.inputs[1]).constant.defined());
  EXPECT_EQ(body.value(body.outputs[0]).type.ToString(), "float [2, 3]");
}

// Graphs that functions multiply count as what functions expand to.
TEST(Functions, GivenGraphsDoNotMultiplyWithoutBound) {
  ModelWriter m = Frame();
  GraphWriter given("given");
  given.Node("Relu", {"x"}, {"given_0"});
  for (int i = 1; i < 300; ++i) {
    given.Node("Relu", {"given_" + std::to_string(i - 1)}, {"given_" + std::to_string(i)});
  }
  given.Output("given_299");
  FunctionWriter f("f", "F", {"c"}, {"b_499"});
  f.Opset("", 17).Attribute("given");
  for (int i = 0; i < 500; ++i) {
    f.Node("If", {"c"}, {"b_" + std::to_string(i)})
        .Ref("then_branch", "given", onnx::kAttrGraph)
        .Ref("else_branch", "given", onnx::kAttrGraph);
  }
  m.Function(f);
  m.graph().Input("cond", onnx::kBool, {});
  m.graph().Node("F", {"cond"}, {"y"}).Domain("f").Graph("given", given);
  const Result<Model> model = LoadBytes(m.bytes());
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.status().message().find("expand to more than"), std::string::npos)
      << model.status().ToString();
}

TEST(Functions, TheSchemaWinsUnlessDeprecated) {
  ModelWriter m = Frame();
  FunctionWriter relu("", "Relu", {"a"}, {"b"});
  relu.Opset("", 17).Node("Abs", {"a"}, {"b"});
  FunctionWriter scatter("", "Scatter", {"a"}, {"b"});
  scatter.Opset("", 17).Node("Neg", {"a"}, {"b"});
  m.Function(relu).Function(scatter);
  m.graph().Node("Relu", {"x"}, {"u"});
  m.graph().Node("Scatter", {"u"}, {"y"});
  const Model model = Load(m);
  EXPECT_EQ(model.main.node(0).op_type, "Relu");
  EXPECT_EQ(model.main.node(1).op_type, "Neg");
}

}  // namespace
}  // namespace waybill::graph
