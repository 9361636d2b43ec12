#include "onnx/model/writer/tensor_writer.h"

namespace waybill::onnx {

std::string StringEntryBytes(std::string_view key, std::string_view value) {
  Encoder entry;
  entry.Bytes(1, key);
  entry.Bytes(2, value);
  return std::move(entry).bytes();
}

TensorWriter::TensorWriter(std::string_view name, int32_t data_type, std::vector<int64_t> dims) {
  encoder_.Unpacked<int64_t>(1, dims);
  encoder_.Int(2, data_type);
  if (!name.empty()) encoder_.Bytes(8, name);
}

TensorWriter& TensorWriter::Raw(std::string_view bytes) {
  encoder_.Bytes(9, bytes);
  return *this;
}

TensorWriter& TensorWriter::Raw(std::span<const std::byte> bytes) {
  return Raw(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

TensorWriter& TensorWriter::FloatData(const std::vector<float>& values) {
  encoder_.Packed<float>(4, values);
  return *this;
}

TensorWriter& TensorWriter::DoubleData(const std::vector<double>& values) {
  encoder_.Packed<double>(10, values);
  return *this;
}

TensorWriter& TensorWriter::Int32Data(const std::vector<int32_t>& values) {
  encoder_.Packed<int32_t>(5, values);
  return *this;
}

TensorWriter& TensorWriter::Int64Data(const std::vector<int64_t>& values) {
  encoder_.Packed<int64_t>(7, values);
  return *this;
}

TensorWriter& TensorWriter::Uint64Data(const std::vector<uint64_t>& values) {
  encoder_.Packed<uint64_t>(11, values);
  return *this;
}

TensorWriter& TensorWriter::Strings(const std::vector<std::string>& values) {
  for (const std::string& value : values) encoder_.Bytes(6, value);
  return *this;
}

TensorWriter& TensorWriter::External(std::string_view location, int64_t offset, int64_t length) {
  ExternalEntry("location", location);
  if (offset >= 0) ExternalEntry("offset", std::to_string(offset));
  if (length >= 0) ExternalEntry("length", std::to_string(length));
  encoder_.Int(14, 1);
  return *this;
}

TensorWriter& TensorWriter::ExternalEntry(std::string_view key, std::string_view value) {
  encoder_.Bytes(13, StringEntryBytes(key, value));
  return *this;
}

TensorWriter& TensorWriter::DocString(std::string_view text) {
  encoder_.Bytes(12, text);
  return *this;
}

TensorWriter& TensorWriter::Metadata(std::string_view key, std::string_view value) {
  encoder_.Bytes(16, StringEntryBytes(key, value));
  return *this;
}

SparseTensorWriter::SparseTensorWriter(const TensorWriter& values, const TensorWriter& indices,
                                       const std::vector<int64_t>& dims) {
  encoder_.Bytes(1, values.bytes());
  encoder_.Bytes(2, indices.bytes());
  encoder_.Unpacked<int64_t>(3, dims);
}

}  // namespace waybill::onnx
