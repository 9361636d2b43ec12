#include "onnx/model/writer/value_writer.h"

namespace waybill::onnx {
namespace {

// Field of the member that holds values of `kind`: the same in SequenceProto and OptionalProto.
uint32_t FieldOf(ElementKind kind) { return static_cast<uint32_t>(kind) + 2; }

}  // namespace

SequenceWriter::SequenceWriter(ElementKind kind, std::string_view name) : kind_(kind) {
  if (!name.empty()) encoder_.Bytes(1, name);
  encoder_.Int(2, kind);
}

SequenceWriter& SequenceWriter::Add(std::string_view bytes) {
  encoder_.Bytes(FieldOf(kind_), bytes);
  return *this;
}

MapWriter::MapWriter(int32_t key_type, const std::vector<int64_t>& keys,
                     const SequenceWriter& values) {
  encoder_.Int(2, key_type);
  encoder_.Unpacked<int64_t>(3, keys);
  encoder_.Bytes(5, values.bytes());
}

MapWriter::MapWriter(const std::vector<std::string>& keys, const SequenceWriter& values) {
  encoder_.Int(2, kString);
  for (const std::string& key : keys) encoder_.Bytes(4, key);
  encoder_.Bytes(5, values.bytes());
}

OptionalWriter::OptionalWriter(ElementKind kind) { encoder_.Int(2, kind); }

OptionalWriter::OptionalWriter(ElementKind kind, std::string_view bytes) : OptionalWriter(kind) {
  encoder_.Bytes(FieldOf(kind), bytes);
}

}  // namespace waybill::onnx
