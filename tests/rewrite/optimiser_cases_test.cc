// Small models on which optimisers of other runtimes gave wrong results or failed.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

ModelWriter Model(int opset) {
  ModelWriter m;
  m.Opset("", opset);
  return m;
}

std::vector<float> Floats(const Value& value) {
  const auto span = value.tensor()->span<float>();
  return {span.begin(), span.end()};
}

std::vector<float> Count(size_t n, float step = 1) {
  std::vector<float> out;
  for (size_t i = 0; i < n; ++i) out.push_back(step * static_cast<float>(i));
  return out;
}

// A node that does nothing, then a multiplication by a one that is computed from constants.
void FoldedOne(ModelWriter& m) {
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2, 3});
  g.Node("Constant", {}, {"a"}).Float("value_float", 1);
  g.Node("Constant", {}, {"b"}).Float("value_float", 1);
  g.Node("Constant", {}, {"zero"}).Float("value_float", 0);
  g.Node("Div", {"a", "b"}, {"one"});
  g.Node("Mul", {"mid", "one"}, {"w"});
  g.Node("Add", {"w", "zero"}, {"y"});
  g.Output("y", onnx::kFloat, {2, 3});
}

TEST(OptimiserCases, IdentityBeforeAFoldedOne) {
  ModelWriter m = Model(13);
  m.graph().Node("Identity", {"x"}, {"mid"});
  FoldedOne(m);
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({2, 3}, Count(6))});
  EXPECT_EQ(Floats(y[0]), Count(6));
}

TEST(OptimiserCases, DropoutBeforeAFoldedOne) {
  ModelWriter m = Model(13);
  m.graph().Node("Dropout", {"x"}, {"mid"});
  FoldedOne(m);
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({2, 3}, Count(6))});
  EXPECT_EQ(Floats(y[0]), Count(6));
}

TEST(OptimiserCases, SameTypeCastBeforeAFoldedOne) {
  ModelWriter m = Model(13);
  m.graph().Node("Cast", {"x"}, {"mid"}).Int("to", onnx::kFloat);
  FoldedOne(m);
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({2, 3}, Count(6))});
  EXPECT_EQ(Floats(y[0]), Count(6));
  EXPECT_EQ(RewriteBytes(m.bytes()).Count("Cast"), 0u);
}

TEST(OptimiserCases, IdentityTransposeBeforeGemm) {
  ModelWriter m = Model(13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {3, 4});
  g.Initializer(TensorWriter::Of<float>("w0", {4, 5}, Count(20, 0.5f)));
  g.Initializer(TensorWriter::Of<float>("b", {5}, Count(5)));
  g.Node("Transpose", {"w0"}, {"wt"}).Ints("perm", {0, 1});
  g.Node("Gemm", {"x", "wt", "b"}, {"y"});
  g.Output("y", onnx::kFloat, {3, 5});
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({3, 4}, Count(12))});
  // Row 0 is [0, 1, 2, 3] @ w0 + b; column 0 of w0 is [0, 2.5, 5, 7.5].
  EXPECT_EQ(Floats(y[0])[0], 2.5f + 10.0f + 22.5f);
}

TEST(OptimiserCases, GemmWithATransposedC) {
  ModelWriter m = Model(13);
  GraphWriter& g = m.graph();
  g.Input("a", onnx::kFloat, {3, 4});
  g.Input("b", onnx::kFloat, {4, 5});
  g.Initializer(TensorWriter::Of<float>("c", {5, 3}, Count(15)));
  g.Node("Transpose", {"c"}, {"ct"}).Ints("perm", {1, 0});
  g.Node("Gemm", {"a", "b", "ct"}, {"y"});
  g.Output("y", onnx::kFloat, {3, 5});
  const auto y = ExpectSameAtAllLevels(
      m.bytes(),
      {MakeTensor<float>({3, 4}, std::vector<float>(12)), MakeTensor<float>({4, 5}, Count(20))});
  EXPECT_EQ(Floats(y[0])[1], 3.0f);
  EXPECT_EQ(Floats(y[0])[5], 1.0f);
}

// The chain of operators that a layer normalisation is exported as.
void LayerNormChain(GraphWriter& g, int64_t keepdims) {
  g.Initializer(TensorWriter::Scalar<float>("two", 2));
  g.Initializer(TensorWriter::Scalar<float>("eps", 1e-5f));
  g.Node("ReduceMean", {"x"}, {"mean"}).Ints("axes", {-1}).Int("keepdims", keepdims);
  g.Node("Sub", {"x", "mean"}, {"d"});
  g.Node("Pow", {"d", "two"}, {"sq"});
  g.Node("ReduceMean", {"sq"}, {"var"}).Ints("axes", {-1}).Int("keepdims", keepdims);
  g.Node("Add", {"var", "eps"}, {"ve"});
  g.Node("Sqrt", {"ve"}, {"sd"});
  g.Node("Div", {"d", "sd"}, {"n"});
}

TEST(OptimiserCases, LayerNormChainWithAWiderScale) {
  for (const std::vector<float>& scale : {std::vector<float>{0, 0}, std::vector<float>{3, 5}}) {
    ModelWriter m = Model(17);
    m.graph().Input("x", onnx::kFloat, {1, 1});
    m.graph().Initializer(TensorWriter::Of<float>("scale", {2}, scale));
    LayerNormChain(m.graph(), 1);
    m.graph().Node("Mul", {"n", "scale"}, {"y"});
    m.graph().Output("y", onnx::kFloat, {1, 2});
    const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({1, 1}, {7})});
    EXPECT_EQ(y[0].tensor()->shape(), (Shape{1, 2}));
    EXPECT_EQ(Floats(y[0]), (std::vector<float>{0, 0}));
  }
}

TEST(OptimiserCases, LayerNormChainWithoutKeptDimensions) {
  ModelWriter m = Model(17);
  m.graph().Input("x", onnx::kFloat, {3, 3});
  LayerNormChain(m.graph(), 0);
  m.graph().Output("n", onnx::kFloat, {3, 3});
  const std::vector<float> x = {1, 2, 6, 4, 4, 4, 0, 9, 3};
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({3, 3}, x)});
  // The means [3, 4, 4] are taken off the columns, so this is no layer normalisation.
  double squares = 0;
  for (const int i : {0, 1, 2}) squares += (x[i] - (i == 0 ? 3 : 4)) * (x[i] - (i == 0 ? 3 : 4));
  EXPECT_NEAR(Floats(y[0])[0], (1 - 3) / std::sqrt(squares / 3 + 1e-5), 1e-5);
}

TEST(OptimiserCases, ConstantInt8Dequantized) {
  ModelWriter m = Model(13);
  GraphWriter& g = m.graph();
  g.Initializer(TensorWriter::Of<int8_t>("q", {4}, {12, -45, 7, -3}));
  g.Initializer(TensorWriter::Scalar<float>("s", 0.02f));
  g.Initializer(TensorWriter::Of<int64_t>("shape", {2}, {2, 2}));
  g.Node("DequantizeLinear", {"q", "s"}, {"d"});
  g.Node("Reshape", {"d", "shape"}, {"y"});
  g.Output("y", onnx::kFloat, {2, 2});
  const auto y = ExpectSameAtAllLevels(m.bytes(), {});
  EXPECT_EQ(Difference(y[0], MakeTensor<float>({2, 2}, {0.24f, -0.9f, 0.14f, -0.06f}), {1e-5, 0}),
            "");
}

TEST(OptimiserCases, TwoStringConstants) {
  ModelWriter m = Model(17);
  GraphWriter& g = m.graph();
  g.Node("Constant", {}, {"a"})
      .Tensor("value", TensorWriter::Of<std::string>("", {2}, {"red", "green"}));
  g.Node("Constant", {}, {"b"})
      .Tensor("value", TensorWriter::Of<std::string>("", {2}, {"red", "green"}));
  g.Node("Concat", {"a", "b"}, {"y"}).Int("axis", 0);
  g.Output("y", onnx::kString, {4});
  const auto y = ExpectSameAtAllLevels(m.bytes(), {});
  EXPECT_EQ(y[0].tensor()->span<std::string>()[3], "green");
}

TEST(OptimiserCases, QuantizedConvWithAnOddBiasScale) {
  ModelWriter m = Model(13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 1, 3});
  for (const auto& [name, scale] :
       {std::pair<const char*, float>{"sx", 0.1f}, {"sw", 0.2f}, {"sb", 0.5f}, {"sy", 0.25f}}) {
    g.Initializer(TensorWriter::Scalar<float>(name, scale));
  }
  g.Initializer(TensorWriter::Scalar<uint8_t>("zx", 128));
  g.Initializer(TensorWriter::Of<int8_t>("w", {1, 1, 2}, {5, -3}));
  g.Initializer(TensorWriter::Of<int32_t>("b", {1}, {7}));
  g.Node("QuantizeLinear", {"x", "sx", "zx"}, {"xq"});
  g.Node("DequantizeLinear", {"xq", "sx", "zx"}, {"xd"});
  g.Node("DequantizeLinear", {"w", "sw"}, {"wd"});
  g.Node("DequantizeLinear", {"b", "sb"}, {"bd"});
  g.Node("Conv", {"xd", "wd", "bd"}, {"c"});
  g.Node("QuantizeLinear", {"c", "sy", "zx"}, {"q"});
  g.Node("DequantizeLinear", {"q", "sy", "zx"}, {"y"});
  g.Output("y", onnx::kFloat, {1, 1, 2});
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({1, 1, 3}, {1, 2, -1})});
  // 1 * 1 + 2 * -0.6 + 3.5 = 3.3 and 2 * 1 + -1 * -0.6 + 3.5 = 6.1, in steps of 0.25.
  EXPECT_EQ(Floats(y[0]), (std::vector<float>{3.25f, 6.0f}));
}

TEST(OptimiserCases, Int4DequantizedInBlocksOfAxis0) {
  ModelWriter m = Model(21);
  GraphWriter& g = m.graph();
  std::string packed;
  for (int i = 0; i < 128; ++i) packed += static_cast<char>(i * 37 + 11);
  g.Input("x", onnx::kFloat, {1, 64});
  g.Initializer(TensorWriter("w", onnx::kInt4, {64, 4}).Raw(packed));
  g.Initializer(TensorWriter::Of<float>("s", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  g.Node("DequantizeLinear", {"w", "s"}, {"d"}).Int("axis", 0).Int("block_size", 32);
  g.Node("MatMul", {"x", "d"}, {"y"});
  g.Output("y", onnx::kFloat, {1, 4});
  std::vector<float> x(64), expected(4);
  for (int k = 0; k < 64; ++k) {
    x[k] = static_cast<float>(k % 7 - 3);
    for (int n = 0; n < 4; ++n) {
      const int element = k * 4 + n;
      int code = static_cast<unsigned char>(packed[element / 2]) >> (element % 2 * 4) & 15;
      if (code > 7) code -= 16;
      expected[n] += x[k] * static_cast<float>(code) * static_cast<float>(k / 32 * 4 + n + 1);
    }
  }
  const auto y = ExpectSameAtAllLevels(m.bytes(), {MakeTensor<float>({1, 64}, x)});
  EXPECT_EQ(Floats(y[0]), expected);
}

TEST(OptimiserCases, FoldedConstantsOwnTheirBytes) {
  ModelWriter m = Model(13);
  GraphWriter& g = m.graph();
  g.Initializer(TensorWriter::Of<float>("a", {2, 3}, Count(6)));
  g.Initializer(TensorWriter::Of<int64_t>("shape", {3}, {1, 6, 1}));
  g.Initializer(TensorWriter::Of<int64_t>("axes", {2}, {0, 2}));
  g.Initializer(TensorWriter::Of<float>("b", {6}, Count(6)));
  g.Node("Reshape", {"a", "shape"}, {"r"});
  g.Node("Squeeze", {"r", "axes"}, {"s"});
  g.Node("Add", {"s", "b"}, {"y"});
  g.Output("y", onnx::kFloat, {6});
  const std::string bytes = m.bytes();
  for (int i = 0; i < 100; ++i) {
    const Rewritten rewritten = RewriteBytes(bytes);
    EXPECT_EQ(rewritten.Count(), 0u);
    const auto y = RunModel(rewritten.model, {});
    ASSERT_EQ(Floats(y[0]), Count(6, 2));
  }
}

}  // namespace
}  // namespace waybill::test
