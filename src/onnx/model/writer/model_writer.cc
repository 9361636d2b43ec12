#include "onnx/model/writer/model_writer.h"

namespace waybill::onnx {

ModelWriter& ModelWriter::Opset(std::string_view domain, int64_t version) {
  Encoder opset;
  opset.Bytes(1, domain);
  opset.Int(2, version);
  rest_.Bytes(8, opset.bytes());
  return *this;
}

ModelWriter& ModelWriter::Producer(std::string_view name, std::string_view version) {
  rest_.Bytes(2, name);
  rest_.Bytes(3, version);
  return *this;
}

ModelWriter& ModelWriter::Domain(std::string_view domain) {
  rest_.Bytes(4, domain);
  return *this;
}

ModelWriter& ModelWriter::Version(int64_t version) {
  rest_.Int(5, version);
  return *this;
}

ModelWriter& ModelWriter::DocString(std::string_view text) {
  rest_.Bytes(6, text);
  return *this;
}

ModelWriter& ModelWriter::Metadata(std::string_view key, std::string_view value) {
  rest_.Bytes(14, StringEntryBytes(key, value));
  return *this;
}

ModelWriter& ModelWriter::Function(const FunctionWriter& function) {
  rest_.Bytes(25, function.bytes());
  return *this;
}

std::string ModelWriter::bytes() const {
  Encoder out;
  out.Int(1, ir_version_);
  out.RawBytes(rest_.bytes());
  out.Bytes(7, graph_.bytes());
  return std::move(out).bytes();
}

}  // namespace waybill::onnx
