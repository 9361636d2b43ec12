#include "onnx/model/writer/type_writer.h"

namespace waybill::onnx {
namespace {

void TensorLike(Encoder& out, uint32_t field, int32_t elem_type, const ShapeWriter* shape) {
  Encoder tensor;
  tensor.Int(1, elem_type);
  if (shape != nullptr) {
    Encoder dims;
    for (const DimWriter& dim : *shape) dims.Bytes(1, dim.bytes());
    tensor.Bytes(2, dims.bytes());
  }
  out.Bytes(field, tensor.bytes());
}

std::string Wrapped(uint32_t field, const TypeWriter& element) {
  Encoder out;
  out.Bytes(field, element.bytes());
  return std::move(out).bytes();
}

}  // namespace

TypeWriter TypeWriter::Tensor(int32_t elem_type, const ShapeWriter& shape) {
  TypeWriter out;
  TensorLike(out.encoder_, 1, elem_type, &shape);
  return out;
}

TypeWriter TypeWriter::TensorOfAnyRank(int32_t elem_type) {
  TypeWriter out;
  TensorLike(out.encoder_, 1, elem_type, nullptr);
  return out;
}

TypeWriter TypeWriter::SparseTensor(int32_t elem_type, const ShapeWriter& shape) {
  TypeWriter out;
  TensorLike(out.encoder_, 8, elem_type, &shape);
  return out;
}

TypeWriter TypeWriter::Sequence(const TypeWriter& element) {
  TypeWriter out;
  out.encoder_.Bytes(4, Wrapped(1, element));
  return out;
}

TypeWriter TypeWriter::Optional(const TypeWriter& element) {
  TypeWriter out;
  out.encoder_.Bytes(9, Wrapped(1, element));
  return out;
}

TypeWriter TypeWriter::Map(int32_t key_type, const TypeWriter& value) {
  Encoder map;
  map.Int(1, key_type);
  map.Bytes(2, value.bytes());
  TypeWriter out;
  out.encoder_.Bytes(5, map.bytes());
  return out;
}

TypeWriter TypeWriter::Opaque(std::string_view domain, std::string_view name) {
  Encoder opaque;
  opaque.Bytes(1, domain);
  opaque.Bytes(2, name);
  TypeWriter out;
  out.encoder_.Bytes(7, opaque.bytes());
  return out;
}

TypeWriter& TypeWriter::Denotation(std::string_view text) {
  encoder_.Bytes(6, text);
  return *this;
}

}  // namespace waybill::onnx
