#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "bench/memory/noise.h"
#include "bench/memory/sessions_support.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::bench {

namespace fs = std::filesystem;

namespace {

Model Finish(const fs::path& folder, const std::string& name, onnx::ModelWriter& model,
             size_t weight_bytes) {
  Model out;
  out.name = name;
  out.path = (folder / (name + ".onnx")).string();
  out.weight_bytes = weight_bytes;
  const std::string bytes = model.bytes();
  std::ofstream(out.path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return out;
}

}  // namespace

Model WriteMlp(const fs::path& folder, const std::string& name, bool external) {
  constexpr int64_t kNarrow = 2048, kWide = 2560;
  constexpr int kLayers = 5;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"batch", kNarrow});
  std::ofstream data(folder / (name + ".bin"), std::ios::binary);
  Noise noise;
  std::string from = "x";
  size_t written = 0;
  for (int i = 0; i < kLayers; ++i) {
    const std::vector<float> values = noise.Take(kNarrow * kWide);
    const std::string number = std::to_string(i);
    const std::vector<int64_t> dims =
        i % 2 == 0 ? std::vector<int64_t>{kNarrow, kWide} : std::vector<int64_t>{kWide, kNarrow};
    const auto bytes = std::as_bytes(std::span(values));
    onnx::TensorWriter weights("w" + number, onnx::kFloat, dims);
    if (external) {
      weights.External(name + ".bin", static_cast<int64_t>(written),
                       static_cast<int64_t>(bytes.size()));
      data.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    } else {
      weights.Raw(bytes);
    }
    written += bytes.size();
    graph.Initializer(weights);
    graph.Node("MatMul", {from, "w" + number}, {"m" + number});
    graph.Node("Relu", {"m" + number}, {"r" + number});
    from = "r" + number;
  }
  graph.Output(from, onnx::kFloat, {"batch", kLayers % 2 == 0 ? kNarrow : kWide});
  return Finish(folder, name, model, written);
}

Model WriteConvolutions(const fs::path& folder, const std::string& name) {
  constexpr int64_t kChannels = 512;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, kChannels, 8, 8});
  Noise noise;
  std::string from = "x";
  size_t written = 0;
  for (int i = 0; i < 9; ++i) {
    const std::string number = std::to_string(i);
    const std::vector<float> values = noise.Take(kChannels * kChannels * 9);
    graph.Initializer(
        onnx::TensorWriter::Of<float>("w" + number, {kChannels, kChannels, 3, 3}, values));
    written += values.size() * sizeof(float);
    for (const char* part : {"scale", "bias", "mean", "var"}) {
      std::vector<float> numbers = noise.Take(kChannels);
      for (float& value : numbers) value += 1;
      graph.Initializer(onnx::TensorWriter::Of<float>(part + number, {kChannels}, numbers));
    }
    graph.Node("Conv", {from, "w" + number}, {"c" + number}).Ints("pads", {1, 1, 1, 1});
    graph.Node("BatchNormalization",
               {"c" + number, "scale" + number, "bias" + number, "mean" + number, "var" + number},
               {"b" + number});
    graph.Node("Relu", {"b" + number}, {"r" + number});
    from = "r" + number;
  }
  graph.Output(from, onnx::kFloat, {1, kChannels, 8, 8});
  return Finish(folder, name, model, written);
}

}  // namespace waybill::bench
