// TypeWriter: a TypeProto to write, with its shape.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/wire/encoder.h"

namespace waybill::onnx {

// One dimension of a declared shape: a number, a name, or (DimWriter()) neither.
class DimWriter {
 public:
  DimWriter() = default;
  DimWriter(int value) : DimWriter(int64_t{value}) {}                        // NOLINT
  DimWriter(int64_t value) { encoder_.Int(1, value); }                       // NOLINT
  DimWriter(std::string_view name) { encoder_.Bytes(2, name); }              // NOLINT
  DimWriter(const char* name) : DimWriter(std::string_view(name)) {}         // NOLINT
  DimWriter(const std::string& name) : DimWriter(std::string_view(name)) {}  // NOLINT
  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};
using ShapeWriter = std::vector<DimWriter>;

class TypeWriter {
 public:
  TypeWriter() = default;  // no type at all

  static TypeWriter Tensor(int32_t elem_type, const ShapeWriter& shape);
  static TypeWriter TensorOfAnyRank(int32_t elem_type);
  static TypeWriter SparseTensor(int32_t elem_type, const ShapeWriter& shape);
  static TypeWriter Sequence(const TypeWriter& element);
  static TypeWriter Optional(const TypeWriter& element);
  static TypeWriter Map(int32_t key_type, const TypeWriter& value);
  static TypeWriter Opaque(std::string_view domain, std::string_view name);
  TypeWriter& Denotation(std::string_view text);

  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};

}  // namespace waybill::onnx
