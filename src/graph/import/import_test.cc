#include "graph/import/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "graph/import/testing.h"

namespace waybill::graph {
namespace {

using onnx::FunctionWriter;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

Model Load(const ModelWriter& writer) {
  Result<Model> model = ImportBytes(writer.bytes());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  if (!model.ok()) return {};
  const Status status = infer::InferModel(*model);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::move(model).value();
}

std::vector<std::string> Order(const Graph& graph) {
  std::vector<std::string> out;
  for (const NodeId id : graph.order()) out.push_back(graph.node(id).name);
  return out;
}

TEST(Import, NodesAndDefaults) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {"n", 3});
  m.graph().Node("Softmax", {"x"}, {"y"}).Name("s");
  m.graph().Output("y", onnx::kFloat, {"n", 3});
  const Model model = Load(m);
  const Graph& g = model.main;
  ASSERT_EQ(g.order().size(), 1u);
  const Node& node = g.node(g.order()[0]);
  EXPECT_EQ(node.since_version, 13);
  EXPECT_EQ(node.opset, 17);
  EXPECT_EQ(node.attrs.Int("axis", 7), -1) << "the default of the bound version";
  EXPECT_EQ(g.value(g.inputs[0]).type.ToString(), "float [n, 3]");
  EXPECT_EQ(model.opset_imports.at(""), 17);
}

TEST(Import, InitializersStayInTheFile) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {64});
  m.graph().Initializer(TensorWriter::Of<float>("w", {64}, std::vector<float>(64, 2.0f)));
  m.graph().Initializer(TensorWriter("typed", onnx::kFloat, {2}).FloatData({1, 2}));
  m.graph().Node("Add", {"x", "w"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {64});
  const std::string bytes = m.bytes();
  auto file = onnx::ModelFile::FromBytes(std::as_bytes(std::span(bytes.data(), bytes.size())), {});
  ASSERT_TRUE(file.ok());
  ImportOptions options;
  options.source = std::make_shared<SystemSource>();
  const Result<Model> model = ImportModel(*file, options);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const Constant& w = model->main.value(FindValue(model->main, "w")).constant;
  const auto* data = reinterpret_cast<const char*>(w.tensor().view().data);
  EXPECT_GE(data, bytes.data());
  EXPECT_LT(data, bytes.data() + bytes.size());
  const Constant& typed = model->main.value(FindValue(model->main, "typed")).constant;
  float second = 0;  // which may lie at an odd address of the file
  std::memcpy(&second, typed.tensor().view().data + sizeof second, sizeof second);
  EXPECT_EQ(second, 2.0f);
}

void AddWeightAsInput(ModelWriter& m) {
  m.Opset("", 9);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Input("w", onnx::kFloat, {2});
  m.graph().Initializer(TensorWriter::Of<float>("w", {2}, {1, 2}));
  m.graph().Node("Add", {"x", "w"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2});
}

TEST(Import, ListedInitializersByIrVersion) {
  ModelWriter old(3);
  AddWeightAsInput(old);
  const Model constant = Load(old);
  EXPECT_EQ(constant.main.inputs.size(), 1u);
  EXPECT_TRUE(constant.main.value(FindValue(constant.main, "w")).constant.defined());

  ModelWriter recent(4);
  AddWeightAsInput(recent);
  const Model overridable = Load(recent);
  EXPECT_EQ(overridable.main.inputs.size(), 2u);
  ASSERT_EQ(overridable.main.defaults.size(), 1u);
  EXPECT_EQ(overridable.main.defaults[0].input, FindValue(overridable.main, "w"));
  EXPECT_FALSE(overridable.main.value(FindValue(overridable.main, "w")).constant.defined());
}

TEST(Import, SparseInitializersBecomeDense) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().SparseInitializer(
      onnx::SparseTensorWriter(TensorWriter::Of<float>("s", {2}, {5, 7}),
                               TensorWriter::Of<int64_t>("", {2, 2}, {0, 1, 1, 2}), {2, 3}));
  m.graph().Node("Relu", {"s"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2, 3});
  const Model model = Load(m);
  const auto dense = model.main.value(FindValue(model.main, "s")).constant.tensor();
  const std::vector<float> got(dense.span<float>().begin(), dense.span<float>().end());
  EXPECT_EQ(got, (std::vector<float>{0, 5, 0, 0, 0, 7}));
}

TEST(Import, ConstantsOfAllForms) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Node("Constant", {}, {"t"}).Tensor("value", TensorWriter::Of<double>("", {2}, {1, 2}));
  g.Node("Constant", {}, {"f"}).Float("value_float", 1.5f);
  g.Node("Constant", {}, {"fs"}).Floats("value_floats", {1, 2, 3});
  g.Node("Constant", {}, {"i"}).Int("value_int", -4);
  g.Node("Constant", {}, {"is"}).Ints("value_ints", {});
  g.Node("Constant", {}, {"s"}).String("value_string", "hi");
  g.Node("Constant", {}, {"ss"}).Strings("value_strings", {"a", "b"});
  g.Node("Constant", {}, {"sp"})
      .SparseTensor("sparse_value",
                    onnx::SparseTensorWriter(TensorWriter::Of<int64_t>("", {1}, {9}),
                                             TensorWriter::Of<int64_t>("", {1}, {2}), {4}));
  for (const char* name : {"t", "f", "fs", "i", "is", "s", "ss", "sp"}) g.Output(name);
  const Model model = Load(m);
  EXPECT_TRUE(model.main.order().empty());
  std::vector<std::string> types;
  for (const ValueId id : model.main.outputs) {
    EXPECT_TRUE(model.main.value(id).constant.defined());
    types.push_back(model.main.value(id).type.ToString());
  }
  EXPECT_EQ(types, (std::vector<std::string>{"double [2]", "float []", "float [3]", "int64 []",
                                             "int64 [0]", "string []", "string [2]", "int64 [4]"}));
  EXPECT_EQ(model.main.value(model.main.outputs[3]).constant.tensor().span<int64_t>()[0], -4);
  EXPECT_EQ(model.main.value(model.main.outputs[6]).constant.tensor().span<std::string>()[1], "b");
  EXPECT_EQ(model.main.value(model.main.outputs[7]).constant.tensor().span<int64_t>()[2], 9);
}

TEST(Import, UnsortedNodesAreSorted) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Node("Relu", {"b"}, {"y"}).Name("third");
  m.graph().Node("Relu", {"a"}, {"b"}).Name("second");
  m.graph().Node("Relu", {"x"}, {"a"}).Name("first");
  m.graph().Output("y", onnx::kFloat, {2});
  EXPECT_EQ(Order(Load(m).main), (std::vector<std::string>{"first", "second", "third"}));
}

TEST(Import, OmittedInputsAndOutputs) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Initializer(TensorWriter::Scalar<float>("max", 6.0f));
  m.graph().Node("Clip", {"x", "", "max"}, {"y"});
  m.graph().Node("Clip", {"y", "", ""}, {"z"});
  m.graph().Output("z", onnx::kFloat, {2});
  const Model model = Load(m);
  const Node& first = model.main.node(0);
  EXPECT_FALSE(first.HasInput(1));
  EXPECT_TRUE(first.HasInput(2));
  EXPECT_EQ(model.main.node(1).inputs.size(), 1u);
}

// If(c) { then: y = Relu(x) } else { y = x } with names that occur inside and outside.
TEST(Import, CapturesAndEqualNames) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Input("c", onnx::kBool, {});
  m.graph().Initializer(TensorWriter::Of<float>("w", {2}, {1, 2}));
  GraphWriter inner("inner");
  inner.Node("Add", {"x", "w"}, {"y"});
  inner.Output("y");
  GraphWriter then_branch("then");
  then_branch.Node("If", {"c"}, {"y"}).Graph("then_branch", inner).Graph("else_branch", inner);
  then_branch.Output("y");
  GraphWriter else_branch("else");
  else_branch.Output("x");  // an outer value, returned directly
  m.graph()
      .Node("If", {"c"}, {"y"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
  m.graph().Output("y", onnx::kFloat, {2});
  const Model model = Load(m);
  const Node& outer_if = model.main.node(0);
  const Graph& then_graph = *outer_if.attrs.Subgraph("then_branch");
  // x and c are captured through the chain; w is a constant inside as well.
  EXPECT_EQ(then_graph.captures.size(), 2u);
  const Graph& inner_graph = *then_graph.node(0).attrs.Subgraph("then_branch");
  ASSERT_EQ(inner_graph.captures.size(), 1u);
  EXPECT_EQ(then_graph.value(inner_graph.captures[0].outer).name, "x");
  EXPECT_TRUE(inner_graph.value(FindValue(inner_graph, "w")).constant.defined());
  const Graph& else_graph = *outer_if.attrs.Subgraph("else_branch");
  ASSERT_EQ(else_graph.order().size(), 1u);
  EXPECT_EQ(else_graph.node(0).op_type, "Identity");
  EXPECT_EQ(model.main.value(model.main.outputs[0]).type.ToString(), "float [2]");
}

TEST(Import, DomainRules) {
  ModelWriter m;
  m.Opset("", 9).Opset("ai.onnx", 17).Opset("com.example.unused", 7);
  m.graph().Input("x", onnx::kFloat, {2, 3});
  m.graph().Node("Relu", {"x"}, {"a"}).Domain("ai.onnx");
  m.graph().Node("Binarizer", {"a"}, {"y"}).Domain("ai.onnx.ml");
  m.graph().Output("y", onnx::kFloat, {2, 3});
  const Model model = Load(m);
  EXPECT_EQ(model.main.node(0).domain, "");
  EXPECT_EQ(model.main.node(0).opset, 17) << "of two imports the last counts";
  EXPECT_EQ(model.main.node(1).opset, 5) << "a known domain that is not imported";
  EXPECT_FALSE(model.warnings.empty());
}

TEST(Import, DeprecatedOperatorsAsTheyWereLast) {
  ModelWriter m;
  m.Opset("", 13);
  m.graph().Input("x", onnx::kFloat, {1, 1, 2, 2});
  m.graph().Initializer(TensorWriter::Of<float>("s", {4}, {1, 1, 2, 2}));
  m.graph().Node("Upsample", {"x", "s"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {1, 1, 4, 4});
  const Model model = Load(m);
  EXPECT_EQ(model.main.node(0).since_version, 9);
  EXPECT_EQ(model.warnings.size(), 1u);
}

TEST(Import, OperatorsBeforeTheirTime) {
  ModelWriter m;
  m.Opset("", 16);
  m.graph().Input("x", onnx::kFloat, {2, 3});
  m.graph().Initializer(TensorWriter::Of<float>("s", {3}, {1, 1, 1}));
  m.graph().Node("LayerNormalization", {"x", "s"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2, 3});
  const Model model = Load(m);
  EXPECT_EQ(model.main.node(0).since_version, 1);
  EXPECT_EQ(model.main.node(0).opset, 16);
}

TEST(Import, NewestVersionsWithWarnings) {
  ModelWriter m(14);
  m.Opset("", 28);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Node("Celu", {"x"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2});
  const Model model = Load(m);
  EXPECT_EQ(model.warnings.size(), 2u);
  EXPECT_EQ(model.main.node(0).since_version, 28);
}

TEST(Import, OpsetsAboveTheKnownOnesOfOtherDomains) {
  ModelWriter m;
  m.Opset("", 17).Opset("ai.onnx.ml", 6).Opset("com.example.unused", 99);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Node("Binarizer", {"x"}, {"y"}).Domain("ai.onnx.ml");
  m.graph().Output("y", onnx::kFloat, {2});
  const Model model = Load(m);
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_EQ(model.warnings[0],
            "opset 6 of domain 'ai.onnx.ml' is not released yet; the newest released one is 5");
}

TEST(Import, ReplacedInitializer) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Initializer(TensorWriter::Of<float>("w", {1}, {1}));
  m.graph().Output("w", onnx::kFloat, {1});
  ImportOptions options;
  auto given =
      Tensor::Allocate(DType::kF32, Shape{1}, std::make_shared<SystemSource>(), MemoryTag::kUser);
  given->span<float>()[0] = 5;
  options.initializers.emplace("w", *given);
  const Result<Model> model = ImportBytes(m.bytes(), options);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->main.value(model->main.outputs[0]).constant.tensor().span<float>()[0], 5);
}

TEST(Import, ManyNodesQuickly) {
  ModelWriter m;
  m.Opset("", 17);
  m.graph().Input("x", onnx::kFloat, {2});
  constexpr int kNodes = 20000;
  for (int i = kNodes; i-- > 0;) {  // in the wrong order
    m.graph().Node("Relu", {i == 0 ? "x" : "v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  }
  m.graph().Output("v" + std::to_string(kNodes - 1), onnx::kFloat, {2});
  EXPECT_EQ(Load(m).main.order().size(), static_cast<size_t>(kNodes));
}

}  // namespace
}  // namespace waybill::graph
