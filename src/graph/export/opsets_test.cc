#include "graph/export/opsets.h"

#include <gtest/gtest.h>

#include "graph/export/testing/round_trip.h"

namespace waybill::graph {
namespace {

using onnx::FunctionWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

// y = Softmax(x) by a function of opset 12, perhaps with a Softmax of the model's opset behind it.
std::string OldFunctionModel(bool both) {
  ModelWriter m;
  m.Opset("", 17).Opset("f", 1);
  FunctionWriter f("f", "F", {"a"}, {"b"});
  f.Opset("", 12).Attribute("axis");
  f.Node("Softmax", {"a"}, {"b"}).Ref("axis", "axis", onnx::kAttrInt);
  m.Function(f);
  m.graph().Input("x", onnx::kFloat, {2, 3, 4});
  m.graph().Node("F", {"x"}, {"u"}).Domain("f").Int("axis", 2).Name("old");
  m.graph().Node("F", {"u"}, {"v"}).Domain("f").Int("axis", 1).Name("older");
  m.graph().Node(both ? "Softmax" : "Relu", {"v"}, {"y"}).Name("new");
  m.graph().Output("y", onnx::kFloat, {2, 3, 4});
  return m.bytes();
}

std::vector<std::string> Nodes(const Graph& graph) {
  std::vector<std::string> out;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    out.push_back(Format("{}-{}", node.op_type, node.since_version));
    if (node.attrs.Has("axis")) out.back() += Format(" axis {}", node.attrs.Int("axis"));
  }
  return out;
}

TEST(ExportOpsets, OneImportThatSuitsAll) {
  const Model before = Load(OldFunctionModel(false));
  const Model after = Load(Written(before));
  EXPECT_EQ(Nodes(after.main), Nodes(before.main));
  EXPECT_EQ(after.opset_imports.count("waybill.functions"), 1u)
      << "Relu is of 14, so no version suits all";
}

TEST(ExportOpsets, FunctionsWhereNoImportSuitsAll) {
  const Model before = Load(OldFunctionModel(true));
  EXPECT_EQ(Nodes(before.main), (std::vector<std::string>{"Softmax-11 axis 2", "Softmax-11 axis 1",
                                                          "Softmax-13 axis -1"}));
  const std::string bytes = Written(before);
  const Model after = Load(bytes);
  EXPECT_EQ(Nodes(after.main), Nodes(before.main));
  auto file = onnx::ModelFile::FromBytes(std::as_bytes(std::span(bytes)), nullptr);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->view().functions.size(), 1u) << "of equal looks";
}

// Bodies are given to such functions; what they read outside they still read.
TEST(ExportOpsets, BodiesOfOldNodes) {
  ModelWriter m;
  m.Opset("", 17).Opset("f", 1);
  onnx::GraphWriter yes("yes"), no("no");
  yes.Node("Add", {"a", "a"}, {"s"});
  yes.Output("s");
  no.Node("Neg", {"a"}, {"n"});
  no.Output("n");
  FunctionWriter f("f", "F", {"c", "a"}, {"b"});
  f.Opset("", 12);
  f.Node("If", {"c"}, {"b"}).Graph("then_branch", yes).Graph("else_branch", no);
  m.Function(f);
  m.graph().Input("c", onnx::kBool, {});
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Node("Abs", {"x"}, {"u"});
  m.graph().Node("F", {"c", "u"}, {"v"}).Domain("f");
  for (const char* op : {"Neg", "Abs", "Relu"}) {  // so that the model's own version suits more
    m.graph().Node(op, {"v"}, {op});
    m.graph().Output(op);
  }
  const Model before = Load(m.bytes());
  const Model after = Load(Written(before));
  EXPECT_EQ(Nodes(after.main), Nodes(before.main));
  const auto branch = [](const Model& model, const char* name) {
    const Node& node = model.main.node(model.main.order()[1]);
    EXPECT_EQ(node.op_type, "If");
    const Graph& body = *node.attrs.Subgraph(name);
    EXPECT_EQ(body.captures.size(), 1u);
    if (!body.captures.empty()) {
      EXPECT_EQ(body.captures[0].outer, FindValue(model.main, "u"));
    }
    return Nodes(body);
  };
  for (const char* name : {"then_branch", "else_branch"}) {
    EXPECT_EQ(branch(after, name), branch(before, name));
  }
}

TEST(ExportOpsets, OmittedInputsOfFunctions) {
  ModelWriter m;
  m.Opset("", 17).Opset("f", 1);
  FunctionWriter f("f", "F", {"a", "max"}, {"b"});
  f.Opset("", 11);
  f.Node("Clip", {"a", "", "max"}, {"b"});
  m.Function(f);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Initializer(TensorWriter::Scalar<float>("six", 6.0f));
  m.graph().Node("F", {"x", "six"}, {"u"}).Domain("f");
  m.graph().Node("Clip", {"u", "six"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2});
  const Model before = Load(m.bytes());
  const Model after = Load(Written(before));
  EXPECT_EQ(Nodes(after.main), (std::vector<std::string>{"Clip-11", "Clip-13"}));
  const Node& old = after.main.node(after.main.order()[0]);
  ASSERT_EQ(old.inputs.size(), 3u);
  EXPECT_EQ(old.inputs[1], kNoValue);
}

// Import makes Identity nodes of the newest version; files say it as theirs.
TEST(ExportOpsets, VersionsThatDifferInTypesOnly) {
  ModelWriter m;
  m.Opset("", 11);
  onnx::GraphWriter body("b");
  body.Output("x");
  m.graph().Input("c", onnx::kBool, {});
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Node("If", {"c"}, {"y"}).Graph("then_branch", body).Graph("else_branch", body);
  m.graph().Output("y", onnx::kFloat, {2});
  const Model after = Load(Written(Load(m.bytes())));
  const Graph& branch = *after.main.node(0).attrs.Subgraph("then_branch");
  ASSERT_EQ(branch.order().size(), 1u);
  EXPECT_EQ(branch.node(0).since_version, 1);
  EXPECT_EQ(after.opset_imports.count("waybill.functions"), 0u);
}

TEST(ExportOpsets, DeprecatedOperatorsStayAsTheyWere) {
  ModelWriter m;
  m.Opset("", 11);
  m.graph().Input("x", onnx::kFloat, {1, 1, 2, 2});
  m.graph().Initializer(TensorWriter::Of<float>("s", {4}, {1, 1, 2, 2}));
  m.graph().Node("Upsample", {"x", "s"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {1, 1, 4, 4});
  const Model before = Load(m.bytes());
  const Model after = Load(Written(before));
  EXPECT_EQ(Nodes(after.main), Nodes(before.main));
}

}  // namespace
}  // namespace waybill::graph
