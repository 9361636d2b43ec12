// TensorWriter: a TensorProto to write. Choose one payload: Raw, a typed field, Strings or
// External.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "onnx/model/data_type.h"
#include "onnx/wire/encoder.h"

namespace waybill::onnx {

// The data type that a C++ type stands for.
template <typename T>
constexpr DataType DataTypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return kDouble;
  else if constexpr (std::is_same_v<T, bool>)
    return kBool;
  else if constexpr (std::is_same_v<T, int8_t>)
    return kInt8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return kUint8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return kInt16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return kUint16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return kInt32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return kUint32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return kInt64;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return kUint64;
  else if constexpr (std::is_same_v<T, std::string>)
    return kString;
  else
    return kUndefined;
}

class TensorWriter {
 public:
  TensorWriter(std::string_view name, int32_t data_type, std::vector<int64_t> dims);

  // A tensor of plain C++ values: raw_data (string_data for std::string).
  template <typename T>
  static TensorWriter Of(std::string_view name, std::vector<int64_t> dims,
                         const std::vector<T>& values) {
    TensorWriter out(name, DataTypeOf<T>(), std::move(dims));
    if constexpr (std::is_same_v<T, std::string>) {
      out.Strings(values);
    } else {
      Encoder raw;
      for (const T value : values) raw.RawFixed<T>(value);
      out.Raw(raw.bytes());
    }
    return out;
  }
  template <typename T>
  static TensorWriter Scalar(std::string_view name, T value) {
    return Of<T>(name, {}, {value});
  }

  // Payload as little-endian bytes in the raw layout, whatever the type.
  TensorWriter& Raw(std::string_view bytes);
  TensorWriter& Raw(std::span<const std::byte> bytes);
  // Payload in the typed fields. Which field serves which type is not checked.
  TensorWriter& FloatData(const std::vector<float>& values);
  TensorWriter& DoubleData(const std::vector<double>& values);
  TensorWriter& Int32Data(const std::vector<int32_t>& values);
  TensorWriter& Int64Data(const std::vector<int64_t>& values);
  TensorWriter& Uint64Data(const std::vector<uint64_t>& values);
  TensorWriter& Strings(const std::vector<std::string>& values);
  // Payload in another file. A negative offset or length is left out.
  TensorWriter& External(std::string_view location, int64_t offset = -1, int64_t length = -1);
  // One more key/value pair of external_data.
  TensorWriter& ExternalEntry(std::string_view key, std::string_view value);

  TensorWriter& DocString(std::string_view text);
  TensorWriter& Metadata(std::string_view key, std::string_view value);
  // For fields that no method covers.
  Encoder& encoder() { return encoder_; }

  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};

// A SparseTensorProto: `values` [nnz], `indices` INT64 [nnz] or [nnz, rank], `dims` the dense
// shape.
class SparseTensorWriter {
 public:
  SparseTensorWriter(const TensorWriter& values, const TensorWriter& indices,
                     const std::vector<int64_t>& dims);
  const std::string& bytes() const { return encoder_.bytes(); }

 private:
  Encoder encoder_;
};

// A StringStringEntryProto.
std::string StringEntryBytes(std::string_view key, std::string_view value);

}  // namespace waybill::onnx
