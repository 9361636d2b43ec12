// Element types. The numeric values are TensorProto.DataType's, so no table translates between
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace waybill {

enum class DType : uint8_t {
  kUndefined = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kC64 = 14,
  kC128 = 15,
  kBF16 = 16,
  kF8E4M3FN = 17,
  kF8E4M3FNUZ = 18,
  kF8E5M2 = 19,
  kF8E5M2FNUZ = 20,
  kU4 = 21,
  kI4 = 22,
  kF4E2M1 = 23,
  kF8E8M0 = 24,
  kU2 = 25,
  kI2 = 26,
};
inline constexpr int kDTypeCount = 27;

// True for codes that name a type, kUndefined not among them.
constexpr bool IsKnownDType(int64_t code) { return code >= 1 && code < kDTypeCount; }

// Bits of one element in memory; kString: those of a std::string object; kUndefined: 0.
size_t DTypeBits(DType dtype);

// Bytes that `elems` elements take, sub-byte types rounded up to whole bytes; nothing on overflow.
std::optional<size_t> DTypeBytes(DType dtype, size_t elems);

// Alignment in bytes that typed access needs (1 for sub-byte types).
size_t DTypeAlign(DType dtype);

// ONNX's spelling as in type strings: "float", "int64", "float8e4m3fn", "string".
std::string_view DTypeName(DType dtype);

// Inverse of DTypeName; nothing for an unknown name. Accepts the upper-case proto names too.
std::optional<DType> DTypeFromName(std::string_view name);

// float16, bfloat16, all float8, float4 and IEEE single and double.
bool IsFloatDType(DType dtype);
// Signed and unsigned integers from 2 to 64 bits; not bool.
bool IsIntDType(DType dtype);

}  // namespace waybill
