#include "graph/infer/infer.h"

#include <gtest/gtest.h>

#include "graph/import/testing.h"
#include "graph/infer/types.h"

namespace waybill::graph {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using onnx::TypeWriter;

Model Load(const ModelWriter& writer) {
  Result<Model> model = LoadBytes(writer.bytes());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? std::move(model).value() : Model();
}

std::string TypeOf(const Graph& graph, std::string_view name) {
  const ValueId id = FindValue(graph, name);
  return id == kNoValue ? "no such value" : graph.value(id).type.ToString();
}

TEST(Infer, ShapeArithmeticInSymbols) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {"n", "t", 4, 8});
  g.Initializer(TensorWriter::Of<int64_t>("zero", {1}, {0}));
  g.Initializer(TensorWriter::Of<int64_t>("one", {1}, {1}));
  g.Initializer(TensorWriter::Of<int64_t>("rest", {1}, {32}));
  g.Node("Shape", {"x"}, {"s"});
  g.Node("Gather", {"s", "zero"}, {"n"});
  g.Node("Gather", {"s", "one"}, {"t"});
  g.Node("Concat", {"n", "t", "rest"}, {"shape"}).Int("axis", 0);
  g.Node("Reshape", {"x", "shape"}, {"y"});
  g.Output("y");
  EXPECT_EQ(TypeOf(Load(m).main, "y"), "float [n, t, 32]");
}

TEST(Infer, OverriddenDimensions) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {"n", 3});
  m.graph().Node("Relu", {"x"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {"n", 3});
  Model model = Load(m);
  ASSERT_TRUE(infer::OverrideDims(model, {{"n", 5}, {"other", 1}}).ok());
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_EQ(model.warnings[0],
            "the free dimension override other = 1 has no effect: the model has no dimension of "
            "this name");
  ASSERT_TRUE(infer::InferModel(model).ok());
  EXPECT_EQ(TypeOf(model.main, "y"), "float [5, 3]");
  EXPECT_FALSE(infer::OverrideDims(model, {{"n", -1}}).ok());
}

TEST(Infer, ZeroInADeclaredInputMeansAnySize) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {0, 3, -1});
  m.graph().Node("Relu", {"x"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {0, 3, 0});
  EXPECT_EQ(TypeOf(Load(m).main, "y"), "float [?, 3, ?]");
}

TEST(Infer, DeclaredShapesAreHints) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2, 3});
  g.Node("Relu", {"x"}, {"wrong"});
  g.ValueInfo("wrong", TypeWriter::Tensor(onnx::kFloat, {7, 7}));
  g.Node("NonZero", {"wrong"}, {"open"});
  g.ValueInfo("open", TypeWriter::Tensor(onnx::kInt64, {2, "found"}));
  g.Node("NonZero", {"x"}, {"y"});
  g.Output("y", onnx::kInt64, {2, 4});
  const Model model = Load(m);
  EXPECT_EQ(TypeOf(model.main, "wrong"), "float [2, 3]");
  EXPECT_EQ(TypeOf(model.main, "open"), "int64 [2, found]");
  EXPECT_EQ(TypeOf(model.main, "y"), "int64 [2, 4]") << "outputs take declared numbers";
}

// A body that makes its carried value longer in each iteration and scans another.
TEST(Infer, LoopForgetsWhatChanges) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter body("body");
  body.Input("i", onnx::kInt64, {}).Input("go", onnx::kBool, {}).Input("grows").Input("stays");
  body.Node("Concat", {"grows", "stays"}, {"longer"}).Int("axis", 0);
  body.Node("Identity", {"stays"}, {"same"});
  body.Node("Identity", {"stays"}, {"scan"});
  body.Node("Identity", {"go"}, {"go_on"});
  for (const char* name : {"go_on", "longer", "same", "scan"}) body.Output(name);
  GraphWriter& g = m.graph();
  g.Input("m", onnx::kInt64, {});
  g.Input("a", onnx::kFloat, {2, 3});
  g.Input("b", onnx::kFloat, {1, 3});
  g.Node("Loop", {"m", "", "a", "b"}, {"x", "y", "z"}).Graph("body", body);
  g.Output("x").Output("y").Output("z");
  const Model model = Load(m);
  EXPECT_EQ(TypeOf(model.main, "x"), "float [?, 3]");
  EXPECT_EQ(TypeOf(model.main, "y"), "float [1, 3]");
  EXPECT_EQ(TypeOf(model.main, "z"), "float [?, 1, 3]");
  const Graph& inside = *model.main.node(0).attrs.Subgraph("body");
  EXPECT_EQ(TypeOf(inside, "longer"), "float [?, 3]");
  EXPECT_EQ(TypeOf(inside, "i"), "int64 []");
}

TEST(Infer, LoopWithoutLastOutputs) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter body("body");
  body.Input("i").Input("go").Input("v");
  body.Node("Neg", {"v"}, {"w"});
  body.Node("Identity", {"go"}, {"go_on"});
  body.Output("go_on").Output("w").Output("i");
  m.graph().Input("m", onnx::kInt64, {}).Input("a", onnx::kFloat, {2});
  m.graph().Node("Loop", {"m", "", "a"}, {"x"}).Graph("body", body);
  m.graph().Output("x");
  const Model model = Load(m);
  EXPECT_EQ(model.main.node(0).outputs.size(), 2u) << "as many as the body gives";
  EXPECT_EQ(TypeOf(model.main, "x"), "float [2]");
}

GraphWriter SumBody() {
  GraphWriter body("body");
  body.Input("state").Input("item");
  body.Node("Add", {"state", "item"}, {"next"});
  body.Node("Identity", {"next"}, {"out"});
  body.Output("next").Output("out");
  return body;
}

TEST(Infer, ScanSlicesAndStacks) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("s", onnx::kFloat, {3});
  g.Input("x", onnx::kFloat, {3, "t"});
  g.Node("Scan", {"s", "x"}, {"last", "all"})
      .Int("num_scan_inputs", 1)
      .Ints("scan_input_axes", {1})
      .Ints("scan_output_axes", {-1})
      .Graph("body", SumBody());
  g.Output("last").Output("all");
  const Model model = Load(m);
  EXPECT_EQ(TypeOf(model.main, "last"), "float [3]");
  EXPECT_EQ(TypeOf(model.main, "all"), "float [3, t]");
  EXPECT_EQ(TypeOf(*model.main.node(0).attrs.Subgraph("body"), "item"), "float [3]");
}

TEST(Infer, ScanOfVersion8HasABatch) {
  ModelWriter m(3);
  m.Opset("", 8);
  GraphWriter& g = m.graph();
  g.Input("s", onnx::kFloat, {"b", 3});
  g.Input("x", onnx::kFloat, {"b", "t", 3});
  g.Node("Scan", {"", "s", "x"}, {"last", "all"})
      .Int("num_scan_inputs", 1)
      .Graph("body", SumBody());
  g.Output("last").Output("all");
  const Model model = Load(m);
  EXPECT_EQ(TypeOf(model.main, "last"), "float [b, 3]");
  EXPECT_EQ(TypeOf(model.main, "all"), "float [b, t, 3]");
}

TEST(Infer, BranchesAreJoinedUnlessTheConditionIsKnown) {
  for (const bool known : {false, true}) {
    ModelWriter m;
    m.Opset("", 17);
    GraphWriter& g = m.graph();
    GraphWriter rows("then"), columns("else");
    rows.Node("Concat", {"x", "x"}, {"r"}).Int("axis", 0);
    rows.Output("r");
    columns.Node("Identity", {"x"}, {"c"});
    columns.Output("c");
    g.Input("x", onnx::kFloat, {2, 3});
    if (known) {
      g.Initializer(TensorWriter::Of<bool>("cond", {1}, {true}));
    } else {
      g.Input("cond", onnx::kBool, {});
    }
    g.Node("If", {"cond"}, {"y"}).Graph("then_branch", rows).Graph("else_branch", columns);
    g.Output("y");
    EXPECT_EQ(TypeOf(Load(m).main, "y"), known ? "float [4, 3]" : "float [?, 3]");
  }
}

TEST(Infer, NestedLoopsStayCheap) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter body("innermost");
  body.Input("i").Input("go").Input("v");
  body.Node("Concat", {"v", "v"}, {"w"}).Int("axis", 0);
  body.Node("Identity", {"go"}, {"go_on"});
  body.Output("go_on").Output("w");
  for (int depth = 0; depth < 24; ++depth) {
    GraphWriter outer("loop" + std::to_string(depth));
    outer.Input("i").Input("go").Input("v");
    outer.Node("Loop", {"i", "", "v"}, {"w"}).Graph("body", body);
    outer.Node("Identity", {"go"}, {"go_on"});
    outer.Output("go_on").Output("w");
    body = outer;
  }
  m.graph().Input("m", onnx::kInt64, {}).Input("a", onnx::kFloat, {1, 2});
  m.graph().Node("Loop", {"m", "", "a"}, {"x"}).Graph("body", body);
  m.graph().Output("x");
  EXPECT_EQ(Load(m).main.order().size(), 1u);
}

TEST(Types, JoinAndContradiction) {
  using infer::Contradicts;
  using infer::JoinTypes;
  const ValueType a = ValueType::Tensor(DType::kF32, SymShape({Dim(2), Dim::Symbol("n"), Dim(3)}));
  const ValueType b = ValueType::Tensor(DType::kF32, SymShape({Dim(2), Dim::Symbol("n"), Dim(4)}));
  EXPECT_EQ(JoinTypes(a, b).ToString(), "float [2, n, ?]");
  EXPECT_EQ(JoinTypes(a, ValueType::Tensor(DType::kF32)).ToString(), "float ?");
  EXPECT_FALSE(Contradicts(a, b));
  EXPECT_FALSE(Contradicts(a, ValueType()));
  EXPECT_TRUE(Contradicts(a, ValueType::Tensor(DType::kI64)));
  EXPECT_TRUE(Contradicts(ValueType::Sequence(a), ValueType::Optional(a)));
  EXPECT_TRUE(
      Contradicts(ValueType::Sequence(a), ValueType::Sequence(ValueType::Tensor(DType::kI64))));
  EXPECT_FALSE(infer::IsComplete(ValueType::Sequence(ValueType())));
}

}  // namespace
}  // namespace waybill::graph
