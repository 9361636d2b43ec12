// ModelWriter builds an ONNX model and gives its bytes. It writes what it is told to: broken models
// are a purpose of it, so nothing is checked here.
//
//   namespace onnx = waybill::onnx;
//   onnx::ModelWriter model;                                   // IR 10
//   model.Opset("", 17);
//   onnx::GraphWriter& graph = model.graph();
//   graph.Input("x", onnx::kFloat, {"batch", 3, 8, 8});        // a name, numbers; {} is a scalar
//   graph.Initializer(onnx::TensorWriter::Of<float>("w", {4, 3, 1, 1}, weights));
//   graph.Node("Conv", {"x", "w"}, {"c"}).Name("/conv").Ints("strides", {2, 2}).Int("group", 1);
//   graph.Node("Clip", {"c", "", "max"}, {"y"});               // "": omitted input
//   graph.Initializer(onnx::TensorWriter::Scalar<float>("max", 6.0f));
//   graph.Output("y", onnx::kFloat, {"batch", 4, 4, 4});
//   const std::string bytes = model.bytes();
//
// A subgraph is a GraphWriter given to NodeWriter::Graph; a model-local function a FunctionWriter
// given to Function(). Other payloads of a tensor:
//   onnx::TensorWriter("q", onnx::kInt4, {3}).Raw("\x21\x03");         // any type, raw layout
//   onnx::TensorWriter("h", onnx::kFloat16, {1}).Int32Data({0x3c00});  // typed field
//   onnx::TensorWriter("e", onnx::kFloat, {2}).External("model.data", 4096, 8);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnx/model/writer/graph_writer.h"

namespace waybill::onnx {

class ModelWriter {
 public:
  explicit ModelWriter(int64_t ir_version = 10) : ir_version_(ir_version) {}

  ModelWriter& Opset(std::string_view domain, int64_t version);
  ModelWriter& Producer(std::string_view name, std::string_view version);
  ModelWriter& Domain(std::string_view domain);
  ModelWriter& Version(int64_t version);
  ModelWriter& DocString(std::string_view text);
  ModelWriter& Metadata(std::string_view key, std::string_view value);
  ModelWriter& Function(const FunctionWriter& function);

  // The main graph; the reference stays valid while the ModelWriter lives.
  GraphWriter& graph() { return graph_; }
  // For fields that no method covers.
  Encoder& encoder() { return rest_; }

  // The serialized ModelProto, ready to be a file.
  std::string bytes() const;

 private:
  int64_t ir_version_;
  GraphWriter graph_;
  Encoder rest_;
};

}  // namespace waybill::onnx
