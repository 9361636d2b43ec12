#include "onnx/model/writer/graph_writer.h"

namespace waybill::onnx {
namespace {

std::string ValueInfoBytes(std::string_view name, const TypeWriter* type) {
  Encoder out;
  out.Bytes(1, name);
  if (type != nullptr) out.Bytes(2, type->bytes());
  return std::move(out).bytes();
}

}  // namespace

GraphWriter& GraphWriter::Input(std::string_view name, const TypeWriter& type) {
  rest_.Bytes(11, ValueInfoBytes(name, &type));
  return *this;
}

GraphWriter& GraphWriter::Input(std::string_view name, int32_t elem_type,
                                const ShapeWriter& shape) {
  return Input(name, TypeWriter::Tensor(elem_type, shape));
}

GraphWriter& GraphWriter::Input(std::string_view name) {
  rest_.Bytes(11, ValueInfoBytes(name, nullptr));
  return *this;
}

GraphWriter& GraphWriter::Output(std::string_view name, const TypeWriter& type) {
  rest_.Bytes(12, ValueInfoBytes(name, &type));
  return *this;
}

GraphWriter& GraphWriter::Output(std::string_view name, int32_t elem_type,
                                 const ShapeWriter& shape) {
  return Output(name, TypeWriter::Tensor(elem_type, shape));
}

GraphWriter& GraphWriter::Output(std::string_view name) {
  rest_.Bytes(12, ValueInfoBytes(name, nullptr));
  return *this;
}

GraphWriter& GraphWriter::ValueInfo(std::string_view name, const TypeWriter& type) {
  rest_.Bytes(13, ValueInfoBytes(name, &type));
  return *this;
}

GraphWriter& GraphWriter::Initializer(const TensorWriter& tensor) {
  rest_.Bytes(5, tensor.bytes());
  return *this;
}

GraphWriter& GraphWriter::SparseInitializer(const SparseTensorWriter& tensor) {
  rest_.Bytes(15, tensor.bytes());
  return *this;
}

GraphWriter& GraphWriter::DocString(std::string_view text) {
  rest_.Bytes(10, text);
  return *this;
}

GraphWriter& GraphWriter::Metadata(std::string_view key, std::string_view value) {
  rest_.Bytes(16, StringEntryBytes(key, value));
  return *this;
}

GraphWriter& GraphWriter::QuantizationAnnotation(
    std::string_view tensor, const std::vector<std::pair<std::string, std::string>>& entries) {
  Encoder out;
  out.Bytes(1, tensor);
  for (const auto& [key, value] : entries) out.Bytes(2, StringEntryBytes(key, value));
  rest_.Bytes(14, out.bytes());
  return *this;
}

NodeWriter& GraphWriter::Node(std::string_view op_type, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs) {
  return nodes_.emplace_back(op_type, inputs, outputs);
}

std::string GraphWriter::bytes() const {
  Encoder out;
  for (const NodeWriter& node : nodes_) out.Bytes(1, node.bytes());
  if (!name_.empty()) out.Bytes(2, name_);
  out.RawBytes(rest_.bytes());
  return std::move(out).bytes();
}

FunctionWriter::FunctionWriter(std::string_view domain, std::string_view name,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  rest_.Bytes(1, name);
  for (const std::string& input : inputs) rest_.Bytes(4, input);
  for (const std::string& output : outputs) rest_.Bytes(5, output);
  rest_.Bytes(10, domain);
}

FunctionWriter& FunctionWriter::Overload(std::string_view overload) {
  rest_.Bytes(13, overload);
  return *this;
}

FunctionWriter& FunctionWriter::Opset(std::string_view domain, int64_t version) {
  Encoder opset;
  opset.Bytes(1, domain);
  opset.Int(2, version);
  rest_.Bytes(9, opset.bytes());
  return *this;
}

FunctionWriter& FunctionWriter::Attribute(std::string_view name) {
  rest_.Bytes(6, name);
  return *this;
}

FunctionWriter& FunctionWriter::AttributeDefault(std::string_view bytes) {
  rest_.Bytes(11, bytes);
  return *this;
}

FunctionWriter& FunctionWriter::IntDefault(std::string_view name, int64_t value) {
  Encoder out;
  out.Bytes(1, name);
  out.Int(20, kAttrInt);
  out.Int(3, value);
  return AttributeDefault(out.bytes());
}

FunctionWriter& FunctionWriter::FloatDefault(std::string_view name, float value) {
  Encoder out;
  out.Bytes(1, name);
  out.Int(20, kAttrFloat);
  out.Float(2, value);
  return AttributeDefault(out.bytes());
}

FunctionWriter& FunctionWriter::ValueInfo(std::string_view name, const TypeWriter& type) {
  rest_.Bytes(12, ValueInfoBytes(name, &type));
  return *this;
}

NodeWriter& FunctionWriter::Node(std::string_view op_type, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  return nodes_.emplace_back(op_type, inputs, outputs);
}

std::string FunctionWriter::bytes() const {
  Encoder out;
  out.RawBytes(rest_.bytes());
  for (const NodeWriter& node : nodes_) out.Bytes(7, node.bytes());
  return std::move(out).bytes();
}

}  // namespace waybill::onnx
