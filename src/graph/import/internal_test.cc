// Files with the operators that rewrites make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/import/testing.h"

namespace waybill::graph {
namespace {

using onnx::ModelWriter;
using onnx::NodeWriter;
using onnx::TensorWriter;
using ::testing::HasSubstr;

// One node on floats x [2, 3], w [3, 4], b [4], o [2, 4] and the bytes q [2].
std::string OneNode(const std::string& op, const std::vector<std::string>& inputs,
                    const std::function<void(NodeWriter&)>& attributes, int version = 1) {
  ModelWriter m;
  m.Opset("", 17).Opset("waybill", version);
  m.graph().Input("x", onnx::kFloat, {2, 3});
  m.graph().Input("w", onnx::kFloat, {3, 4});
  m.graph().Input("b", onnx::kFloat, {4});
  m.graph().Input("o", onnx::kFloat, {2, 4});
  m.graph().Input("q", onnx::kUint8, {2});
  NodeWriter& node = m.graph().Node(op, inputs, {"y"}).Domain("waybill").Name("n");
  if (attributes) attributes(node);
  m.graph().Output("y");
  return m.bytes();
}

Status Refusal(const std::string& bytes) {
  const Result<Model> model = LoadBytes(bytes);
  EXPECT_FALSE(model.ok());
  return model.ok() ? Status::Ok() : model.status();
}

const auto kSum = [](NodeWriter& node) { node.String("expr", "Add(x0,x1);Relu(t0)"); };

TEST(ImportInternal, TypesAndShapes) {
  Result<Model> model = LoadBytes(OneNode("MatMul", {"x", "w", "b", "o"}, kSum));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->main.value(model->main.outputs[0]).type.ToString(), "float [2, 4]");
  EXPECT_TRUE(model->warnings.empty());
  model = LoadBytes(OneNode("Elementwise", {"o", "b"}, kSum));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->main.value(model->main.outputs[0]).type.ToString(), "float [2, 4]");
}

TEST(ImportInternal, RefusesWhatNoRewriteMakes) {
  EXPECT_THAT(Refusal(OneNode("MatMul", {"x", "w", "b"}, kSum)).message(),
              HasSubstr("expression 'Add(x0,x1);Relu(t0)' has 1 operands"));
  EXPECT_THAT(Refusal(OneNode("MatMul", {"x", "w"}, kSum)).message(), HasSubstr("has 1 operands"));
  EXPECT_THAT(Refusal(OneNode("MatMul", {"x", "w", "", "o"}, nullptr)).message(),
              HasSubstr("no expression"));
  EXPECT_THAT(Refusal(OneNode("MatMul", {"x", "w", "", "", "o"}, kSum)).message(),
              HasSubstr("required input 3 ('operands') is missing"));
  EXPECT_THAT(Refusal(OneNode("MatMul", {"x"}, nullptr)).message(), HasSubstr("at least 2 inputs"));
  EXPECT_THAT(Refusal(OneNode("MatMul", {"x", "x"}, nullptr)).message(), HasSubstr("multiply"));
  EXPECT_THAT(Refusal(OneNode("Elementwise", {"", "o"}, kSum)).message(),
              HasSubstr("required input 0 ('operands') is missing"));
  EXPECT_THAT(Refusal(OneNode("Elementwise", {"o"}, kSum)).message(), HasSubstr("has 1 operands"));
  EXPECT_THAT(Refusal(OneNode("Elementwise", std::vector<std::string>(17, "o"), kSum)).message(),
              HasSubstr("has 17 operands"));
  EXPECT_THAT(Refusal(OneNode("Elementwise", {"o"}, nullptr)).message(),
              HasSubstr("required attribute 'expr'"));
  const auto broken = [](NodeWriter& node) { node.String("expr", "Add(x0,"); };
  EXPECT_THAT(Refusal(OneNode("Elementwise", {"o"}, broken)).message(), HasSubstr("is not one"));
  EXPECT_THAT(Refusal(OneNode("Elementwise", {"o", "q"}, kSum)).message(), HasSubstr("uint8"));
  EXPECT_THAT(Refusal(OneNode("Elementwise", {"x", "o"}, kSum)).message(), HasSubstr("broadcast"));
  EXPECT_THAT(Refusal(OneNode("OneHotMatMul", {"x", "w"}, nullptr)).message(), HasSubstr("int64"));
  EXPECT_THAT(Refusal(OneNode("LayerNormalization", {"x", "b"}, nullptr)).message(),
              HasSubstr("required attribute 'axis'"));
  const auto over = [](int64_t axis) {
    return [axis](NodeWriter& node) { node.Int("axis", axis).Float("epsilon", 0); };
  };
  EXPECT_THAT(Refusal(OneNode("LayerNormalization", {"x", "b"}, over(2))).message(),
              HasSubstr("axis 2 is out of range"));
  EXPECT_THAT(Refusal(OneNode("LayerNormalization", {"x", "b"}, over(1))).message(),
              HasSubstr("one for each of 3 places"));
  EXPECT_THAT(Refusal(OneNode("QLinearAdd", {"q", "q"}, nullptr)).message(), HasSubstr("8 inputs"));
}

// A later version may mean something else by the same names.
TEST(ImportInternal, RefusesLaterVersionsAndUnknownOperators) {
  const Status later = Refusal(OneNode("Elementwise", {"o", "b"}, kSum, 2));
  EXPECT_EQ(later.code(), Code::kNotImplemented);
  EXPECT_THAT(later.message(), HasSubstr("opset 2 of domain 'waybill' is too new"));
  EXPECT_THAT(Refusal(OneNode("Other", {"o"}, nullptr)).message(),
              HasSubstr("unknown operator 'Other' in domain 'waybill'"));
}

}  // namespace
}  // namespace waybill::graph
