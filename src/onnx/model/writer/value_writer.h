// SequenceWriter, MapWriter and OptionalWriter: values to write as .pb files. A tensor value is a
// TensorWriter, a sparse one a SparseTensorWriter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/model/value_view.h"
#include "onnx/model/writer/tensor_writer.h"

namespace waybill::onnx {

class SequenceWriter {
 public:
  explicit SequenceWriter(ElementKind kind, std::string_view name = "");
  // One more element: the bytes of a message of the sequence's kind.
  SequenceWriter& Add(std::string_view bytes);
  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  ElementKind kind_;
  Encoder encoder_;
};

class MapWriter {
 public:
  MapWriter(int32_t key_type, const std::vector<int64_t>& keys, const SequenceWriter& values);
  MapWriter(const std::vector<std::string>& keys, const SequenceWriter& values);
  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};

class OptionalWriter {
 public:
  // Holds nothing.
  explicit OptionalWriter(ElementKind kind);
  // Holds a message of that kind.
  OptionalWriter(ElementKind kind, std::string_view bytes);
  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};

}  // namespace waybill::onnx
