// GraphWriter and FunctionWriter: a GraphProto and a FunctionProto to write.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/model/writer/node_writer.h"
#include "onnx/model/writer/tensor_writer.h"
#include "onnx/model/writer/type_writer.h"

namespace waybill::onnx {

class GraphWriter {
 public:
  explicit GraphWriter(std::string_view name = "graph") : name_(name) {}

  GraphWriter& Input(std::string_view name, const TypeWriter& type);
  GraphWriter& Input(std::string_view name, int32_t elem_type, const ShapeWriter& shape);
  GraphWriter& Output(std::string_view name, const TypeWriter& type);
  GraphWriter& Output(std::string_view name, int32_t elem_type, const ShapeWriter& shape);
  // An output without a type, as subgraphs may have.
  GraphWriter& Output(std::string_view name);
  GraphWriter& Input(std::string_view name);
  GraphWriter& ValueInfo(std::string_view name, const TypeWriter& type);
  GraphWriter& Initializer(const TensorWriter& tensor);
  GraphWriter& SparseInitializer(const SparseTensorWriter& tensor);
  GraphWriter& DocString(std::string_view text);
  GraphWriter& Metadata(std::string_view key, std::string_view value);
  // keys such as SCALE_TENSOR and ZERO_POINT_TENSOR with the names of their tensors.
  GraphWriter& QuantizationAnnotation(
      std::string_view tensor, const std::vector<std::pair<std::string, std::string>>& entries);

  // Appends a node. The reference stays valid while the GraphWriter lives (not across a copy).
  NodeWriter& Node(std::string_view op_type, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

  // For fields that no method covers.
  Encoder& encoder() { return rest_; }
  std::string bytes() const;

 private:
  std::string name_;
  std::deque<NodeWriter> nodes_;
  Encoder rest_;
};

class FunctionWriter {
 public:
  FunctionWriter(std::string_view domain, std::string_view name,
                 const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

  FunctionWriter& Overload(std::string_view overload);
  FunctionWriter& Opset(std::string_view domain, int64_t version);
  // An attribute without a default.
  FunctionWriter& Attribute(std::string_view name);
  // One with a default: a serialized AttributeProto.
  FunctionWriter& AttributeDefault(std::string_view bytes);
  FunctionWriter& IntDefault(std::string_view name, int64_t value);
  FunctionWriter& FloatDefault(std::string_view name, float value);
  FunctionWriter& ValueInfo(std::string_view name, const TypeWriter& type);
  NodeWriter& Node(std::string_view op_type, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

  Encoder& encoder() { return rest_; }
  std::string bytes() const;

 private:
  std::deque<NodeWriter> nodes_;
  Encoder rest_;
};

}  // namespace waybill::onnx
