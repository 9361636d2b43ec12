#include "tests/pains/models.h"

namespace waybill::pains {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

std::vector<float> Weights(int64_t count, float scale) {
  std::vector<float> out(static_cast<size_t>(count));
  uint32_t state = 12345;
  for (float& value : out) {
    state = state * 1664525u + 1013904223u;
    value = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  return out;
}

std::string ConvModel(int64_t channels, int64_t width, int64_t side) {
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, channels, side, side});
  graph.Initializer(
      TensorWriter::Of<float>("k", {width, channels, 3, 3}, Weights(width * channels * 9)));
  graph.Initializer(
      TensorWriter::Of<float>("l", {channels, width, 3, 3}, Weights(channels * width * 9)));
  graph.Node("Conv", {"x", "k"}, {"a"}).Name("/widen").Ints("pads", {1, 1, 1, 1});
  graph.Node("Relu", {"a"}, {"b"});
  graph.Node("Conv", {"b", "l"}, {"c"}).Name("/narrow").Ints("pads", {1, 1, 1, 1});
  graph.Node("Add", {"c", "x"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, channels, side, side});
  return model.bytes();
}

std::string PerceptronModel(int64_t features, int64_t hidden) {
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, "length", features});
  graph.Initializer(TensorWriter::Of<float>("w", {features, hidden}, Weights(features * hidden)));
  graph.Initializer(TensorWriter::Of<float>("b", {hidden}, Weights(hidden)));
  graph.Initializer(TensorWriter::Of<float>("v", {hidden, features}, Weights(features * hidden)));
  graph.Node("MatMul", {"x", "w"}, {"p"});
  graph.Node("Add", {"p", "b"}, {"q"});
  graph.Node("Relu", {"q"}, {"r"});
  graph.Node("MatMul", {"r", "v"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, "length", features});
  return model.bytes();
}

std::string HalfNormModel(int64_t features) {
  constexpr int32_t kOne = 0x3c00, kTenth = 0x2e66;  // float16
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  const onnx::ShapeWriter shape = {"a", "b", "c", features};
  graph.Input("x", onnx::kFloat16, shape);
  std::vector<int32_t> matrix(static_cast<size_t>(features * features), 0);
  for (int64_t i = 0; i < features; ++i) {
    matrix[static_cast<size_t>(i * features + i)] = kOne;
    matrix[static_cast<size_t>(i * features + (i + 1) % features)] = kTenth;
  }
  graph.Initializer(TensorWriter("w", onnx::kFloat16, {features, features}).Int32Data(matrix));
  graph.Initializer(TensorWriter("s", onnx::kFloat16, {features})
                        .Int32Data(std::vector<int32_t>(static_cast<size_t>(features), kOne)));
  graph.Initializer(TensorWriter("b", onnx::kFloat16, {features})
                        .Int32Data(std::vector<int32_t>(static_cast<size_t>(features), kTenth)));
  graph.Node("MatMul", {"x", "w"}, {"p"});
  graph.Node("LayerNormalization", {"p", "s", "b"}, {"n"}).Int("axis", -1);
  graph.Node("Add", {"n", "x"}, {"r"});
  graph.Node("LayerNormalization", {"r", "s", "b"}, {"m"}).Int("axis", -1);
  graph.Node("MatMul", {"m", "w"}, {"y"});
  graph.Output("y", onnx::kFloat16, shape);
  return model.bytes();
}

std::string PassThroughModel() {
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("same", onnx::kFloat, {"n"});
  graph.Node("Add", {"same", "same"}, {"twice"});
  graph.Output("same", onnx::kFloat, {"n"});
  graph.Output("twice", onnx::kFloat, {"n"});
  return model.bytes();
}

std::string TableModel(int64_t rows, int64_t columns) {
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("ids", onnx::kInt64, {"n"});
  graph.Initializer(TensorWriter("table", onnx::kFloat, {rows, columns})
                        .External("table.bin", 0, rows * columns * 4));
  graph.Node("Gather", {"table", "ids"}, {"y"}).Int("axis", 0);
  graph.Output("y", onnx::kFloat, {"n", columns});
  return model.bytes();
}

std::string ExternalProductModel(int64_t rows, int64_t columns, const std::string& location) {
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", rows});
  graph.Initializer(
      TensorWriter("w", onnx::kFloat, {rows, columns}).External(location, 0, rows * columns * 4));
  graph.Node("MatMul", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {"n", columns});
  return model.bytes();
}

std::string LoopModel(std::optional<int64_t> trips, int64_t side) {
  GraphWriter body("body");
  body.Input("i", onnx::kInt64, {});
  body.Input("on", onnx::kBool, {});
  body.Input("s", onnx::kFloat, {side, side});
  body.Node("Identity", {"on"}, {"still"});
  body.Node("MatMul", {"s", "w"}, {"t"});
  body.Output("still", onnx::kBool, {});
  body.Output("t", onnx::kFloat, {side, side});
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {side, side});
  if (trips) {
    graph.Initializer(TensorWriter::Scalar<int64_t>("trips", *trips));
  } else {
    graph.Input("trips", onnx::kInt64, {});
  }
  graph.Initializer(TensorWriter::Of<float>("w", {side, side}, Weights(side * side)));
  graph.Node("Loop", {"trips", "", "x"}, {"y"}).Graph("body", body);
  graph.Output("y", onnx::kFloat, {side, side});
  return model.bytes();
}

}  // namespace waybill::pains
