// Quantized operators between DequantizeLinear and QuantizeLinear.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using graph::RewriteLevel;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

// A model that quantizes its input [1, 2, 4, 4] to "x_q".
class QuantizedModel {
 public:
  QuantizedModel() {
    model_.Opset("", 13);
    g().Input("image", onnx::kFloat, {1, 2, 4, 4});
    Scale("s", 0.0513f);
    Scale("s_out", 0.0931f);
    Scale("s_w", 0.0197f);
    Scale("s_b", 0.0513f * 0.0197f);
    g().Initializer(TensorWriter::Scalar<uint8_t>("z", 120));
    g().Initializer(TensorWriter::Scalar<uint8_t>("z_out", 0));
    Quantize("image", "x_q", "s", "z");
  }

  GraphWriter& g() { return model_.graph(); }
  void Scale(const std::string& name, float value) {
    g().Initializer(TensorWriter::Scalar<float>(name, value));
  }
  void Quantize(const std::string& from, const std::string& to, const std::string& scale,
                const std::string& zero) {
    g().Node("QuantizeLinear", {from, scale, zero}, {to});
  }
  void Dequantize(const std::string& from, const std::string& to, const std::string& scale,
                  const std::string& zero) {
    g().Node("DequantizeLinear", {from, scale, zero}, {to});
  }
  // Weights [m, c, kernel, kernel] and bias as `name`_w and `name`_b, dequantized.
  void Weights(const std::string& name, int64_t m, int64_t c, int64_t kernel) {
    std::vector<int8_t> w(static_cast<size_t>(m * c * kernel * kernel));
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(i * 37 % 255 - 127);
    std::vector<int32_t> b(static_cast<size_t>(m));
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int32_t>(i * 131) - 300;
    g().Initializer(TensorWriter::Of<int8_t>(name + "_wq", {m, c, kernel, kernel}, w));
    g().Initializer(TensorWriter::Of<int32_t>(name + "_bq", {m}, b));
    g().Node("DequantizeLinear", {name + "_wq", "s_w"}, {name + "_w"});
    g().Node("DequantizeLinear", {name + "_bq", "s_b"}, {name + "_b"});
  }
  std::string Finish(const std::string& quantized, const onnx::ShapeWriter& shape,
                     const std::string& scale = "s_out", const std::string& zero = "z_out") {
    Dequantize(quantized, "y", scale, zero);
    g().Output("y", onnx::kFloat, shape);
    return model_.bytes();
  }

 private:
  ModelWriter model_;
};

Value Image() {
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 29 % 97) / 12.0f - 4.0f;
  return MakeTensor<float>({1, 2, 4, 4}, x);
}

// conv, relu, conv, add, pool: all of it on bytes.
std::string Network() {
  QuantizedModel m;
  m.Dequantize("x_q", "x", "s", "z");
  m.Weights("a", 2, 2, 3);
  m.g().Node("Conv", {"x", "a_w", "a_b"}, {"a"}).Ints("pads", {1, 1, 1, 1});
  m.g().Node("Relu", {"a"}, {"a_relu"});
  m.Quantize("a_relu", "a_q", "s_out", "z_out");
  m.Dequantize("a_q", "a_d", "s_out", "z_out");
  m.Dequantize("x_q", "x_again", "s", "z");
  m.g().Node("Add", {"a_d", "x_again"}, {"sum"});
  m.Quantize("sum", "sum_q", "s", "z");
  m.Dequantize("sum_q", "sum_d", "s", "z");
  m.g().Node("GlobalAveragePool", {"sum_d"}, {"pool"});
  m.Quantize("pool", "pool_q", "s", "z");
  m.Dequantize("pool_q", "pool_d", "s", "z");
  m.g().Node("Flatten", {"pool_d"}, {"flat"}).Int("axis", 1);
  m.Quantize("flat", "flat_q", "s", "z");
  return m.Finish("flat_q", {1, 2}, "s", "z");
}

TEST(FuseQuantized, WholeNetwork) {
  ExpectSameAtAllLevels(Network(), {Image()});
  const Rewritten extended = RewriteBytes(Network(), {RewriteLevel::kExtended});
  EXPECT_EQ(extended.Count("QLinearConv"), 1u);
  EXPECT_EQ(extended.Count("QLinearAdd"), 1u);
  EXPECT_EQ(extended.Count("QLinearGlobalAveragePool"), 1u);
  EXPECT_EQ(extended.Count("Relu"), 0u);
  EXPECT_EQ(extended.Count("QuantizeLinear"), 1u);
  EXPECT_EQ(extended.Count("DequantizeLinear"), 1u);
  EXPECT_EQ(extended.Count("Transpose"), 0u);
}

TEST(FuseQuantized, ChannelsLastFromTheInputToThePool) {
  const Rewritten all = RewriteBytes(Network());
  EXPECT_EQ(all.Count("Transpose"), 2u);
  for (const graph::NodeId id : all.model.main.order()) {
    const graph::Node& node = all.model.main.node(id);
    if (!node.Is("QLinearConv", "waybill")) continue;
    EXPECT_EQ(node.attrs.Int("channels_last"), 1);
  }
}

TEST(FuseQuantized, BasicLevelFoldsWeights) {
  const Rewritten basic = RewriteBytes(Network(), {RewriteLevel::kBasic});
  EXPECT_EQ(basic.Count("Conv"), 1u);
  EXPECT_EQ(basic.Count("Relu"), 1u);
}

TEST(FuseQuantized, GemmWithBias) {
  QuantizedModel m;
  m.g().Initializer(TensorWriter::Of<int64_t>("rows", {2}, {4, 8}));
  m.g().Node("Reshape", {"x_q", "rows"}, {"rows_q"});
  m.Dequantize("rows_q", "rows_d", "s", "z");
  std::vector<int8_t> w(24);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(i * 53 % 255 - 127);
  m.g().Initializer(TensorWriter::Of<int8_t>("wq", {3, 8}, w));
  m.g().Initializer(TensorWriter::Of<float>("scales", {3}, {0.0197f, 0.0511f, 0.0103f}));
  m.g().Initializer(TensorWriter::Of<int8_t>("zeros", {3}, {0, 0, 0}));
  m.g().Initializer(TensorWriter::Of<float>("bias", {3}, {1.5f, -2, 0.25f}));
  m.g().Node("DequantizeLinear", {"wq", "scales", "zeros"}, {"w"}).Int("axis", 0);
  m.g().Node("Gemm", {"rows_d", "w", "bias"}, {"p"}).Int("transB", 1);
  m.Quantize("p", "p_q", "s_out", "z");
  const std::string bytes = m.Finish("p_q", {4, 3}, "s_out", "z");
  ExpectSameAtAllLevels(bytes, {Image()});
  EXPECT_EQ(RewriteBytes(bytes).Count("QLinearGemm"), 1u);
}

TEST(FuseQuantized, WhatDoesNotFitStays) {
  QuantizedModel m;
  m.Dequantize("x_q", "x", "s", "z");
  m.Weights("a", 2, 2, 1);
  m.g().Node("Conv", {"x", "a_w", "a_b"}, {"a"});
  m.g().Node("Relu", {"a"}, {"a_relu"});
  m.Quantize("a_relu", "a_q", "s_out", "z");  // the Relu cuts what bytes could hold
  m.g().Node("Abs", {"a_relu"}, {"twice"});   // and is read by another
  m.g().Output("twice", onnx::kFloat, {1, 2, 4, 4});
  const std::string bytes = m.Finish("a_q", {1, 2, 4, 4}, "s_out", "z");
  ExpectSameAtAllLevels(bytes, {Image()});
  const Rewritten all = RewriteBytes(bytes);
  EXPECT_EQ(all.Count("QLinearConv"), 0u);
}

}  // namespace
}  // namespace waybill::test
