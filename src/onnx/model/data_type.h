// TensorProto.DataType: the codes, their names and their sizes. This layer knows element types as
// codes alone; what elements mean is the tensor layer's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::onnx {

enum DataType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};
inline constexpr int32_t kDataTypeCount = 27;

// True for the codes that name an element type; UNDEFINED is not among them.
constexpr bool IsKnownDataType(int64_t code) { return code >= 1 && code < kDataTypeCount; }

// Bits of one element in raw_data; 0 for STRING, UNDEFINED and unknown codes.
size_t DataTypeBits(int64_t code);

// "FLOAT", "INT4"; "?" for an unknown code.
std::string_view DataTypeName(int64_t code);

// "FLOAT (1)", for messages.
std::string DescribeDataType(int64_t code);

// Bytes of `elems` elements in the raw layout, the last sub-byte group padded; nothing on overflow
// or where the type has no raw layout.
std::optional<size_t> RawBytes(int64_t code, size_t elems);

}  // namespace waybill::onnx
