#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using graph::RewriteLevel;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using Names = std::vector<std::string>;

ModelWriter Model(int opset) {
  ModelWriter m;
  m.Opset("", opset);
  m.graph().Input("x", onnx::kFloat, {2});
  return m;
}

Value Input() { return MakeTensor<float>({2}, {-1.5f, 2}); }

TEST(RemoveIdentity, KeepsNamesOfOutputs) {
  ModelWriter m = Model(17);
  GraphWriter& g = m.graph();
  g.Node("Identity", {"x"}, {"direct"});  // of an input: stays
  g.Node("Relu", {"x"}, {"r"});
  g.Node("Identity", {"r"}, {"y"});  // the Relu makes y itself
  g.Node("Abs", {"r"}, {"z"});
  g.Node("Identity", {"z"}, {"again"});  // z is an output too: stays
  for (const char* name : {"direct", "y", "z", "again"}) g.Output(name, onnx::kFloat, {2});
  ExpectSameAtAllLevels(m.bytes(), {Input()});
  const Rewritten rewritten = RewriteBytes(m.bytes());
  EXPECT_EQ(rewritten.Count("Identity"), 2u);
  EXPECT_EQ(rewritten.Patches(), Names{"remove-identity"});
  Names outputs;
  for (const graph::ValueId id : rewritten.model.main.outputs) {
    outputs.push_back(rewritten.model.main.value(id).name);
  }
  EXPECT_EQ(outputs, (Names{"direct", "y", "z", "again"}));
}

TEST(RemoveIdentity, DropoutWithAReadMaskStays) {
  ModelWriter m = Model(13);
  m.graph().Node("Dropout", {"x"}, {"a", "mask"});
  m.graph().Node("Dropout", {"a"}, {"y"});
  m.graph().Node("Relu", {"y"}, {"z"});
  m.graph().Output("z", onnx::kFloat, {2});
  m.graph().Output("mask", onnx::kBool, {2});
  ExpectSameAtAllLevels(m.bytes(), {Input()});
  EXPECT_EQ(RewriteBytes(m.bytes()).Count("Dropout"), 1u);
}

TEST(RemoveIdentity, ChainsOfCastsThatChangeTypesStay) {
  ModelWriter m = Model(13);
  m.graph().Node("Cast", {"x"}, {"i"}).Int("to", onnx::kInt32);
  m.graph().Node("Cast", {"i"}, {"b"}).Int("to", onnx::kBool);
  m.graph().Node("Cast", {"b"}, {"b2"}).Int("to", onnx::kBool);
  m.graph().Node("Cast", {"b2"}, {"y"}).Int("to", onnx::kFloat);
  m.graph().Output("y", onnx::kFloat, {2});
  ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({2}, {0.5f, 2})});
  EXPECT_EQ(RewriteBytes(m.bytes()).Count("Cast"), 3u);
}

TEST(Levels, NoneRunsAsWritten) {
  ModelWriter m = Model(17);
  m.graph().Node("Identity", {"x"}, {"a"});
  m.graph().Node("Relu", {"a"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2});
  const Rewritten none = RewriteBytes(m.bytes(), {RewriteLevel::kNone});
  EXPECT_EQ(none.Count(), 2u);
  EXPECT_TRUE(none.report.patches.empty());
  EXPECT_EQ(RewriteBytes(m.bytes(), {RewriteLevel::kBasic}).Count(), 1u);
}

TEST(Patches, AreNumberedAndCanBeStopped) {
  ModelWriter m = Model(17);
  GraphWriter& g = m.graph();
  for (int i = 0; i < 4; ++i) {
    g.Node("Identity", {i == 0 ? "x" : "v" + std::to_string(i - 1)}, {"v" + std::to_string(i)})
        .Name("id" + std::to_string(i));
  }
  g.Node("Relu", {"v3"}, {"y"});
  g.Output("y", onnx::kFloat, {2});
  const Rewritten all = RewriteBytes(m.bytes());
  ASSERT_EQ(all.report.patches.size(), 4u);
  EXPECT_EQ(all.report.patches[2].number, 3u);
  EXPECT_EQ(all.report.patches[2].node, "id2 (Identity-16)");
  EXPECT_FALSE(all.report.stopped);
  const Rewritten some = RewriteBytes(m.bytes(), {RewriteLevel::kAll, 2});
  EXPECT_EQ(some.Count("Identity"), 2u);
  EXPECT_TRUE(some.report.stopped);
  EXPECT_EQ(RewriteBytes(m.bytes(), {RewriteLevel::kAll, 0}).Count("Identity"), 4u);
}

TEST(FoldConstants, OverridableInitializersAreNoConstants) {
  ModelWriter m = Model(17);
  GraphWriter& g = m.graph();
  g.Input("w", onnx::kFloat, {2});
  g.Initializer(TensorWriter::Of<float>("w", {2}, {1, 2}));
  g.Node("Neg", {"w"}, {"n"});
  g.Node("Add", {"x", "n"}, {"y"});
  g.Output("y", onnx::kFloat, {2});
  EXPECT_EQ(RewriteBytes(m.bytes(), {RewriteLevel::kBasic}).Count(), 2u);
}

TEST(FoldConstants, RandomOperatorsStay) {
  ModelWriter m = Model(17);
  m.graph().Node("RandomNormal", {}, {"r"}).Ints("shape", {2}).Float("seed", 1);
  m.graph().Node("Add", {"x", "r"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2});
  EXPECT_EQ(RewriteBytes(m.bytes()).Count(), 2u);
}

TEST(FoldConstants, GrowthIsLimited) {
  ModelWriter m = Model(17);
  GraphWriter& g = m.graph();
  g.Initializer(TensorWriter::Scalar<float>("one", 1));
  g.Initializer(TensorWriter::Of<int64_t>("shape", {1}, {1 << 20}));
  g.Node("Neg", {"one"}, {"n"});
  g.Node("Expand", {"n", "shape"}, {"big"});
  g.Node("ReduceSum", {"big"}, {"sum"});
  g.Node("Add", {"x", "sum"}, {"y"});
  g.Output("y", onnx::kFloat, {2});
  const Rewritten limited = RewriteBytes(m.bytes(), {RewriteLevel::kAll, SIZE_MAX, 1 << 20});
  EXPECT_EQ(limited.Count("Expand"), 1u);
  EXPECT_EQ(limited.Count("Neg"), 0u);
  EXPECT_EQ(RewriteBytes(m.bytes()).Count("Expand"), 0u);
}

TEST(FoldConstants, ConstantOfShapeIsASplatBeyondTheLimit) {
  ModelWriter m = Model(17);
  GraphWriter& g = m.graph();
  g.Initializer(TensorWriter::Of<int64_t>("shape", {2}, {1 << 20, 1 << 20}));
  g.Node("ConstantOfShape", {"shape"}, {"c"})
      .Tensor("value", TensorWriter::Of<float>("", {1}, {3}));
  g.Node("Transpose", {"c"}, {"t"});
  g.Node("Shape", {"t"}, {"s"});
  g.Node("Cast", {"s"}, {"f"}).Int("to", onnx::kFloat);
  g.Node("Add", {"x", "f"}, {"y"});
  g.Output("y", onnx::kFloat, {2});
  const Rewritten rewritten = RewriteBytes(m.bytes(), {RewriteLevel::kAll, SIZE_MAX, 1 << 20});
  EXPECT_EQ(rewritten.Count(), 1u) << "only the addition is left";
  EXPECT_LT(rewritten.report.folded_growth_bytes, 1000u);
}

TEST(FoldConstants, ShapesOfInputsWithKnownDimensions) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {"n", 6});
  g.Initializer(TensorWriter::Of<int64_t>("one", {}, {1}));
  g.Initializer(TensorWriter::Of<int64_t>("axes", {1}, {0}));
  g.Node("Shape", {"x"}, {"s"});
  g.Node("Gather", {"s", "one"}, {"six"});
  g.Node("Unsqueeze", {"six", "axes"}, {"shape"});
  g.Node("Reshape", {"flat", "shape"}, {"row"});
  g.Node("ReduceSum", {"x", "axes"}, {"flat"}).Int("keepdims", 0);
  g.Output("row", onnx::kFloat, {6});
  ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({2, 6}, std::vector<float>(12, 2))});
  EXPECT_EQ(RewriteBytes(m.bytes()).Count(), 2u) << "ReduceSum and Reshape";
}

TEST(FoldConstants, InsideBodies) {
  ModelWriter m = Model(17);
  GraphWriter branch("branch");
  branch.Node("Neg", {"w"}, {"n"});
  branch.Node("Identity", {"n"}, {"n2"});
  branch.Node("Add", {"x", "n2"}, {"r"});
  branch.Output("r");
  GraphWriter& g = m.graph();
  g.Input("c", onnx::kBool, {});
  g.Initializer(TensorWriter::Of<float>("v", {2}, {1, 2}));
  g.Node("Abs", {"v"}, {"w"});
  g.Node("If", {"c"}, {"y"}).Name("if").Graph("then_branch", branch).Graph("else_branch", branch);
  g.Output("y", onnx::kFloat, {2});
  ExpectSameAtAllLevels(m.bytes(), {Input(), MakeTensor<bool>({}, {true})});
  const Rewritten rewritten = RewriteBytes(m.bytes());
  const auto body =
      rewritten.model.main.node(rewritten.model.main.order()[0]).attrs.Subgraph("then_branch");
  EXPECT_EQ(body->order().size(), 1u);
  EXPECT_EQ(body->captures.size(), 1u);
  EXPECT_EQ(rewritten.report.patches[1].node.substr(0, 3), "if/");
}

}  // namespace
}  // namespace waybill::test
