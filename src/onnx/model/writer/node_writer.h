// NodeWriter: a NodeProto to write, and its attributes of every kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/model/attribute_type.h"
#include "onnx/model/writer/tensor_writer.h"
#include "onnx/model/writer/type_writer.h"
#include "onnx/wire/encoder.h"

namespace waybill::onnx {

class GraphWriter;

class NodeWriter {
 public:
  // An empty string among `inputs` is an omitted optional input.
  NodeWriter(std::string_view op_type, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs);

  NodeWriter& Name(std::string_view name);
  NodeWriter& Domain(std::string_view domain);
  NodeWriter& Overload(std::string_view overload);
  NodeWriter& DocString(std::string_view text);
  NodeWriter& Metadata(std::string_view key, std::string_view value);

  NodeWriter& Float(std::string_view name, float value);
  NodeWriter& Int(std::string_view name, int64_t value);
  NodeWriter& String(std::string_view name, std::string_view value);
  NodeWriter& Tensor(std::string_view name, const TensorWriter& value);
  NodeWriter& Graph(std::string_view name, const GraphWriter& value);
  NodeWriter& Type(std::string_view name, const TypeWriter& value);
  NodeWriter& SparseTensor(std::string_view name, const SparseTensorWriter& value);
  NodeWriter& Floats(std::string_view name, const std::vector<float>& values);
  NodeWriter& Ints(std::string_view name, const std::vector<int64_t>& values);
  NodeWriter& Strings(std::string_view name, const std::vector<std::string>& values);
  NodeWriter& Tensors(std::string_view name, const std::vector<TensorWriter>& values);
  NodeWriter& Graphs(std::string_view name, const std::vector<GraphWriter>& values);
  NodeWriter& Types(std::string_view name, const std::vector<TypeWriter>& values);
  NodeWriter& SparseTensors(std::string_view name, const std::vector<SparseTensorWriter>& values);
  // In a function's body: the attribute takes the value of the call's attribute `ref`.
  NodeWriter& Ref(std::string_view name, std::string_view ref, AttributeType type);
  // A whole AttributeProto, serialized.
  NodeWriter& AttributeBytes(std::string_view bytes);

  // For fields that no method covers.
  Encoder& encoder() { return encoder_; }
  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};

}  // namespace waybill::onnx
