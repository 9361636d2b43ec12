// Rewrites of level 2: scales and biases, epilogues, elementwise groups, layer norms.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using graph::RewriteLevel;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using Names = std::vector<std::string>;

constexpr RewriteSettings kFused{RewriteLevel::kExtended};

std::vector<float> Wave(size_t count, float step = 1) {
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i) out.push_back(std::sin(step * static_cast<float>(i)));
  return out;
}

Value WaveTensor(const Shape& shape) {
  return MakeTensor<float>(shape, Wave(static_cast<size_t>(shape.elems()), 0.7f));
}

// The attribute `expr` of the only node of one operator.
std::string ExprOf(const Rewritten& rewritten, std::string_view op) {
  EXPECT_EQ(rewritten.Count(op), 1u);
  for (const graph::NodeId id : rewritten.model.main.order()) {
    const graph::Node& node = rewritten.model.main.node(id);
    if (node.op_type == op) return node.attrs.String("expr");
  }
  return "";
}

// Conv, BatchNormalization and an activation, with or without a bias.
ModelWriter ConvNormModel(bool bias, bool splat) {
  ModelWriter m;
  m.Opset("", 15);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 2, 4, 4});
  if (splat) {
    g.Initializer(TensorWriter::Of<int64_t>("ws", {4}, {3, 2, 3, 3}));
    g.Initializer(TensorWriter::Of<int64_t>("cs", {1}, {3}));
    g.Node("ConstantOfShape", {"ws"}, {"w"})
        .Tensor("value", TensorWriter::Of<float>("", {1}, {0.5f}));
    for (const char* name : {"b", "scale", "shift", "mean", "var"}) {
      g.Node("ConstantOfShape", {"cs"}, {name})
          .Tensor("value", TensorWriter::Of<float>("", {1}, {2}));
    }
  } else {
    g.Initializer(TensorWriter::Of<float>("w", {3, 2, 3, 3}, Wave(54)));
    g.Initializer(TensorWriter::Of<float>("b", {3}, {1, -1, 0.5f}));
    g.Initializer(TensorWriter::Of<float>("scale", {3}, {1, 2, -3}));
    g.Initializer(TensorWriter::Of<float>("shift", {3}, {0, 1, 2}));
    g.Initializer(TensorWriter::Of<float>("mean", {3}, {0.1f, -0.2f, 0.3f}));
    g.Initializer(TensorWriter::Of<float>("var", {3}, {1, 0.5f, 4}));
  }
  std::vector<std::string> inputs = {"x", "w"};
  if (bias) inputs.push_back("b");
  g.Node("Conv", inputs, {"c"}).Ints("pads", {1, 1, 1, 1}).Name("conv");
  g.Node("BatchNormalization", {"c", "scale", "shift", "mean", "var"}, {"n"}).Name("norm");
  g.Node("Relu", {"n"}, {"y"}).Name("relu");
  g.Output("y", onnx::kFloat, {1, 3, 4, 4});
  return m;
}

TEST(FoldScaleAndBias, BatchNormIntoConv) {
  for (const bool bias : {false, true}) {
    for (const bool splat : {false, true}) {
      const std::string bytes = ConvNormModel(bias, splat).bytes();
      ExpectSameAtAllLevels(bytes, {WaveTensor({1, 2, 4, 4})}, {1e-4, 1e-5});
      const Rewritten rewritten = RewriteBytes(bytes, kFused);
      EXPECT_EQ(rewritten.Count(), 1u);
      EXPECT_EQ(ExprOf(rewritten, "Conv"), "Relu(x0)");
      const graph::Node& conv = rewritten.model.main.node(rewritten.model.main.order()[0]);
      EXPECT_EQ(rewritten.model.main.value(conv.inputs[1]).constant.is_splat(), splat);
      EXPECT_EQ(conv.origin, "fuse-epilogue");
      EXPECT_EQ(RewriteBytes(bytes, {RewriteLevel::kBasic}).Count("BatchNormalization"), 1u);
    }
  }
}

TEST(FoldScaleAndBias, ArithmeticIntoConvTransposedConvAndMatMul) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 2, 4});
  g.Initializer(TensorWriter::Of<float>("w", {3, 2, 1}, Wave(6)));
  g.Initializer(TensorWriter::Of<float>("wt", {3, 2, 2}, Wave(12)));
  g.Initializer(TensorWriter::Of<float>("b", {8, 5}, Wave(40)));
  g.Initializer(TensorWriter::Of<float>("c3", {3, 1}, {1, 2, -1}));
  g.Initializer(TensorWriter::Of<float>("c2", {1, 2, 1}, {0.5f, 2}));
  g.Initializer(TensorWriter::Of<float>("c5", {5}, {1, 2, 3, 4, 5}));
  g.Initializer(TensorWriter::Scalar<float>("half", 0.5f));
  g.Node("Conv", {"x", "w"}, {"a"});
  g.Node("Mul", {"c3", "a"}, {"a1"});
  g.Node("Sub", {"c3", "a1"}, {"a2"});
  g.Node("ConvTranspose", {"a2", "wt"}, {"t"}).Ints("strides", {2});
  g.Node("Div", {"t", "c2"}, {"t1"});
  g.Node("Add", {"t1", "half"}, {"t2"});
  g.Node("MatMul", {"t2", "b"}, {"p"});
  g.Node("Sub", {"p", "c5"}, {"p1"});
  g.Node("Mul", {"p1", "half"}, {"y"});
  g.Output("y", onnx::kFloat, {1, 2, 5});
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({1, 2, 4})}, {1e-4, 1e-5});
  const Rewritten rewritten = RewriteBytes(m.bytes(), kFused);
  EXPECT_EQ(rewritten.Count(), 3u);
  EXPECT_EQ(rewritten.Patches(),
            (Names{"fold-scale-and-bias", "fold-scale-and-bias", "fold-scale-and-bias"}));
}

TEST(FoldScaleAndBias, NotWhenItWouldChangeTheShapeOrIsReadElsewhere) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 2, 4});
  g.Initializer(TensorWriter::Of<float>("w", {1, 2, 1}, Wave(2)));
  g.Initializer(TensorWriter::Of<float>("wide", {3, 1}, {1, 2, -1}));
  g.Initializer(TensorWriter::Of<float>("one", {1, 1, 1, 1}, {2}));
  g.Initializer(TensorWriter::Of<float>("zero", {1}, {0}));
  g.Node("Conv", {"x", "w"}, {"a"});
  g.Node("Mul", {"a", "wide"}, {"a1"});
  g.Node("Conv", {"x", "w"}, {"b"});
  g.Node("Mul", {"b", "one"}, {"b1"});
  g.Node("Conv", {"x", "w"}, {"c"});
  g.Node("Div", {"c", "zero"}, {"c1"});
  g.Node("Conv", {"x", "w"}, {"d"});
  g.Node("Add", {"d", "d"}, {"d1"});
  for (const char* name : {"a1", "b1", "c1", "d1"}) g.Output(name);
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({1, 2, 4})});
  const Rewritten rewritten = RewriteBytes(m.bytes(), kFused);
  for (const std::string& patch : rewritten.Patches()) EXPECT_NE(patch, "fold-scale-and-bias");
}

TEST(FuseEpilogue, OnlyWhereTheConvIsReadByTheGroupAlone) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 1, 4});
  g.Input("low", onnx::kFloat, {});
  g.Initializer(TensorWriter::Of<float>("w", {1, 1, 1}, {2}));
  g.Initializer(TensorWriter::Scalar<float>("six", 6));
  g.Node("Conv", {"x", "w"}, {"a"});
  g.Node("Sigmoid", {"a"}, {"b"});
  g.Node("Mul", {"a", "b"}, {"c"});  // both readers of a are here
  g.Node("Conv", {"c", "w"}, {"d"});
  g.Node("Clip", {"d", "", "six"}, {"e"});
  g.Node("Conv", {"e", "w"}, {"f"}).Name("an output");
  g.Node("Tanh", {"f"}, {"h"});
  g.Node("Conv", {"h", "w"}, {"i"}).Name("open bound");
  g.Node("Clip", {"i", "low"}, {"y"});
  g.Output("f", onnx::kFloat, {1, 1, 4});
  g.Output("y", onnx::kFloat, {1, 1, 4});
  ExpectSameAtAllLevels(
      m.bytes(), {MakeTensor<float>({1, 1, 4}, {-1, 0, 1, 2}), MakeTensor<float>({}, {-0.5f})});
  const Rewritten rewritten = RewriteBytes(m.bytes(), kFused);
  EXPECT_EQ(rewritten.Patches(), (Names{"fuse-epilogue", "fuse-epilogue"}));
  EXPECT_EQ(rewritten.Count("Conv"), 4u);
}

TEST(FuseEpilogue, ResidualOfTwoConvsGoesIntoTheLater) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 3, "h", "w"});
  g.Initializer(TensorWriter::Of<float>("w", {3, 3, 3, 3}, Wave(81)));
  g.Node("Conv", {"x", "w"}, {"a"}).Ints("pads", {1, 1, 1, 1});
  g.Node("Conv", {"x", "w"}, {"b"}).Ints("pads", {1, 1, 1, 1}).Name("later");
  g.Node("Add", {"b", "a"}, {"s"});
  g.Node("Relu", {"s"}, {"y"});
  g.Output("y");
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({1, 3, 5, 4})}, {1e-4, 1e-5});
  const Rewritten rewritten = RewriteBytes(m.bytes(), kFused);
  EXPECT_EQ(rewritten.Count(), 2u);
  EXPECT_EQ(rewritten.model.main.node(rewritten.model.main.order()[1]).attrs.String("expr"),
            "Add(x0,x1);Relu(t0)");
}

TEST(FuseEpilogue, GemmWithConstantWeights) {
  for (const int64_t transposed : {0, 1}) {
    ModelWriter m;
    m.Opset("", 13);
    GraphWriter& g = m.graph();
    g.Input("x", onnx::kFloat, {2, 3});
    g.Initializer(TensorWriter::Of<float>(
        "w", transposed != 0 ? std::vector<int64_t>{4, 3} : std::vector<int64_t>{3, 4}, Wave(12)));
    g.Initializer(TensorWriter::Of<float>("c", {1, 4}, {1, 2, 3, 4}));
    g.Node("Gemm", {"x", "w", "c"}, {"a"}).Int("transB", transposed);
    g.Node("Tanh", {"a"}, {"y"});
    g.Output("y", onnx::kFloat, {2, 4});
    ExpectSameAtAllLevels(m.bytes(), {WaveTensor({2, 3})});
    EXPECT_EQ(ExprOf(RewriteBytes(m.bytes(), kFused), "MatMul"), "Tanh(x0)");
  }
}

TEST(FuseElementwise, HardSwishWithNumbersInOneNode) {
  ModelWriter m;
  m.Opset("", 11);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {"n", 3});
  g.Initializer(TensorWriter::Of<float>("three", {1}, {3}));
  g.Initializer(TensorWriter::Scalar<float>("zero", 0));
  g.Initializer(TensorWriter::Scalar<float>("six", 6));
  g.Node("Add", {"x", "three"}, {"a"});
  g.Node("Clip", {"a", "zero", "six"}, {"b"});
  g.Node("Mul", {"x", "b"}, {"c"});
  g.Node("Div", {"c", "six"}, {"y"});
  g.Output("y");
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({4, 3})});
  EXPECT_EQ(ExprOf(RewriteBytes(m.bytes(), kFused), "Elementwise"),
            "Add(x0,3);Clip(t0,0,6);Mul(x0,t1);Div(t2,6)");
}

TEST(FuseElementwise, BroadcastOperandsAreNotComputedLarger) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2, 3, 4});
  g.Input("s", onnx::kFloat, {2, 3, 1});
  g.Node("Sigmoid", {"s"}, {"gate"});  // small: stays outside
  g.Node("Mul", {"x", "gate"}, {"a"});
  g.Node("Abs", {"a"}, {"b"});
  g.Node("Max", {"b", "x", "s"}, {"y"});
  g.Output("y", onnx::kFloat, {2, 3, 4});
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({2, 3, 4}), WaveTensor({2, 3, 1})});
  const Rewritten rewritten = RewriteBytes(m.bytes(), kFused);
  EXPECT_EQ(rewritten.Count("Sigmoid"), 1u);
  EXPECT_EQ(ExprOf(rewritten, "Elementwise"), "Mul(x0,x1);Abs(t0);Max(t1,x0);Max(t2,x2)");
}

TEST(FuseElementwise, BatchNormBehindNoConvJoins) {
  ModelWriter m;
  m.Opset("", 15);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 3, 4, 4});
  for (const char* name : {"scale", "shift", "mean", "var"}) {
    g.Initializer(TensorWriter::Of<float>(name, {3}, {1, 2, 3}));
  }
  g.Node("BatchNormalization", {"x", "scale", "shift", "mean", "var"}, {"n"});
  g.Node("Relu", {"n"}, {"y"});
  g.Output("y", onnx::kFloat, {1, 3, 4, 4});
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({1, 3, 4, 4})});
  EXPECT_EQ(ExprOf(RewriteBytes(m.bytes(), kFused), "Elementwise"),
            "Mul(x0,x1);Add(t0,x2);Relu(t1)");
}

// The written-out layer norm; `broken` makes one part of it something else.
ModelWriter LayerNormModel(bool scale, bool by_mul, int broken) {
  ModelWriter m;
  m.Opset("", 13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2, 3, 4});
  g.Initializer(TensorWriter::Scalar<float>("two", broken == 1 ? 3 : 2));
  g.Initializer(TensorWriter::Of<float>("eps", {1}, {1e-3f}));
  g.Initializer(TensorWriter::Of<float>("gamma", {4}, {1, 2, 3, 4}));
  g.Initializer(TensorWriter::Of<float>("beta", {4}, {4, 3, 2, 1}));
  g.Node("ReduceMean", {"x"}, {"mean"}).Ints("axes", {broken == 2 ? 1 : 2});
  g.Node("Sub", {"x", "mean"}, {"d"});
  if (by_mul) {
    g.Node("Mul", {"d", "d"}, {"sq"});
  } else {
    g.Node("Pow", {"d", "two"}, {"sq"});
  }
  g.Node("ReduceMean", {"sq"}, {"var"}).Ints("axes", {-1});
  g.Node("Add", {"eps", "var"}, {"ve"});
  g.Node("Sqrt", {"ve"}, {"sd"});
  g.Node("Div", {"d", "sd"}, {scale ? "n" : "y"});
  if (scale) {
    g.Node("Mul", {"n", "gamma"}, {"ns"});
    g.Node("Add", {"beta", "ns"}, {"y"});
  }
  if (broken == 3) g.Output("sd");
  g.Output("y", onnx::kFloat, {2, 3, 4});
  return m;
}

TEST(FuseLayerNorm, WrittenOut) {
  for (const bool scale : {false, true}) {
    for (const bool by_mul : {false, true}) {
      const std::string bytes = LayerNormModel(scale, by_mul, 0).bytes();
      ExpectSameAtAllLevels(bytes, {WaveTensor({2, 3, 4})}, {1e-4, 1e-5});
      const Rewritten rewritten = RewriteBytes(bytes, kFused);
      EXPECT_EQ(rewritten.Count("LayerNormalization"), 1u);
      EXPECT_EQ(rewritten.Count(), 1u);
    }
  }
}

TEST(FuseLayerNorm, NotWhenAPartIsSomethingElse) {
  for (const int broken : {1, 2}) {
    const std::string bytes = LayerNormModel(true, false, broken).bytes();
    ExpectSameAtAllLevels(bytes, {WaveTensor({2, 3, 4})}, {1e-4, 1e-5});
    EXPECT_EQ(RewriteBytes(bytes, kFused).Count("LayerNormalization"), 0u) << broken;
  }
  // A part that is read elsewhere is computed still.
  const std::string bytes = LayerNormModel(true, false, 3).bytes();
  ExpectSameAtAllLevels(bytes, {WaveTensor({2, 3, 4})}, {1e-4, 1e-5});
}

}  // namespace
}  // namespace waybill::test
