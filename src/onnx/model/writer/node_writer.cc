#include "onnx/model/writer/node_writer.h"

#include "onnx/model/writer/graph_writer.h"

namespace waybill::onnx {
namespace {

Encoder Attribute(std::string_view name, AttributeType type) {
  Encoder out;
  out.Bytes(1, name);
  out.Int(20, type);
  return out;
}

// A list of messages: one length-delimited field each.
template <typename T>
Encoder ListAttribute(std::string_view name, AttributeType type, uint32_t field,
                      const std::vector<T>& values) {
  Encoder out = Attribute(name, type);
  for (const T& value : values) out.Bytes(field, value.bytes());
  return out;
}

}  // namespace

NodeWriter::NodeWriter(std::string_view op_type, const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
  for (const std::string& input : inputs) encoder_.Bytes(1, input);
  for (const std::string& output : outputs) encoder_.Bytes(2, output);
  encoder_.Bytes(4, op_type);
}

NodeWriter& NodeWriter::Name(std::string_view name) {
  encoder_.Bytes(3, name);
  return *this;
}

NodeWriter& NodeWriter::Domain(std::string_view domain) {
  encoder_.Bytes(7, domain);
  return *this;
}

NodeWriter& NodeWriter::Overload(std::string_view overload) {
  encoder_.Bytes(8, overload);
  return *this;
}

NodeWriter& NodeWriter::DocString(std::string_view text) {
  encoder_.Bytes(6, text);
  return *this;
}

NodeWriter& NodeWriter::Metadata(std::string_view key, std::string_view value) {
  encoder_.Bytes(9, StringEntryBytes(key, value));
  return *this;
}

NodeWriter& NodeWriter::AttributeBytes(std::string_view bytes) {
  encoder_.Bytes(5, bytes);
  return *this;
}

NodeWriter& NodeWriter::Float(std::string_view name, float value) {
  Encoder out = Attribute(name, kAttrFloat);
  out.Float(2, value);
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Int(std::string_view name, int64_t value) {
  Encoder out = Attribute(name, kAttrInt);
  out.Int(3, value);
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::String(std::string_view name, std::string_view value) {
  Encoder out = Attribute(name, kAttrString);
  out.Bytes(4, value);
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Tensor(std::string_view name, const TensorWriter& value) {
  Encoder out = Attribute(name, kAttrTensor);
  out.Bytes(5, value.bytes());
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Graph(std::string_view name, const GraphWriter& value) {
  Encoder out = Attribute(name, kAttrGraph);
  out.Bytes(6, value.bytes());
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Type(std::string_view name, const TypeWriter& value) {
  Encoder out = Attribute(name, kAttrTypeProto);
  out.Bytes(14, value.bytes());
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::SparseTensor(std::string_view name, const SparseTensorWriter& value) {
  Encoder out = Attribute(name, kAttrSparseTensor);
  out.Bytes(22, value.bytes());
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Floats(std::string_view name, const std::vector<float>& values) {
  Encoder out = Attribute(name, kAttrFloats);
  out.Unpacked<float>(7, values);
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Ints(std::string_view name, const std::vector<int64_t>& values) {
  Encoder out = Attribute(name, kAttrInts);
  out.Unpacked<int64_t>(8, values);
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Strings(std::string_view name, const std::vector<std::string>& values) {
  Encoder out = Attribute(name, kAttrStrings);
  for (const std::string& value : values) out.Bytes(9, value);
  return AttributeBytes(out.bytes());
}

NodeWriter& NodeWriter::Tensors(std::string_view name, const std::vector<TensorWriter>& values) {
  return AttributeBytes(ListAttribute(name, kAttrTensors, 10, values).bytes());
}

NodeWriter& NodeWriter::Graphs(std::string_view name, const std::vector<GraphWriter>& values) {
  return AttributeBytes(ListAttribute(name, kAttrGraphs, 11, values).bytes());
}

NodeWriter& NodeWriter::Types(std::string_view name, const std::vector<TypeWriter>& values) {
  return AttributeBytes(ListAttribute(name, kAttrTypeProtos, 15, values).bytes());
}

NodeWriter& NodeWriter::SparseTensors(std::string_view name,
                                      const std::vector<SparseTensorWriter>& values) {
  return AttributeBytes(ListAttribute(name, kAttrSparseTensors, 23, values).bytes());
}

NodeWriter& NodeWriter::Ref(std::string_view name, std::string_view ref, AttributeType type) {
  Encoder out = Attribute(name, type);
  out.Bytes(21, ref);
  return AttributeBytes(out.bytes());
}

}  // namespace waybill::onnx
