#include "onnx/model/data_type.h"

#include <array>

#include "base/math/checked.h"
#include "base/text/format.h"

namespace waybill::onnx {
namespace {

struct Row {
  std::string_view name;
  uint8_t bits;
};

constexpr std::array<Row, kDataTypeCount> kRows = {{
    {"UNDEFINED", 0},      {"FLOAT", 32},       {"UINT8", 8},          {"INT8", 8},
    {"UINT16", 16},        {"INT16", 16},       {"INT32", 32},         {"INT64", 64},
    {"STRING", 0},         {"BOOL", 8},         {"FLOAT16", 16},       {"DOUBLE", 64},
    {"UINT32", 32},        {"UINT64", 64},      {"COMPLEX64", 64},     {"COMPLEX128", 128},
    {"BFLOAT16", 16},      {"FLOAT8E4M3FN", 8}, {"FLOAT8E4M3FNUZ", 8}, {"FLOAT8E5M2", 8},
    {"FLOAT8E5M2FNUZ", 8}, {"UINT4", 4},        {"INT4", 4},           {"FLOAT4E2M1", 4},
    {"FLOAT8E8M0", 8},     {"UINT2", 2},        {"INT2", 2},
}};

}  // namespace

size_t DataTypeBits(int64_t code) {
  return code >= 0 && code < kDataTypeCount ? kRows[static_cast<size_t>(code)].bits : 0;
}

std::string_view DataTypeName(int64_t code) {
  return code >= 0 && code < kDataTypeCount ? kRows[static_cast<size_t>(code)].name : "?";
}

std::string DescribeDataType(int64_t code) { return Format("{} ({})", DataTypeName(code), code); }

std::optional<size_t> RawBytes(int64_t code, size_t elems) {
  const size_t bits = DataTypeBits(code);
  if (bits == 0) return std::nullopt;
  if (bits < 8) return CeilDiv(elems, 8 / bits);
  return CheckedMul(elems, bits / 8);
}

}  // namespace waybill::onnx
