#include "tensor/dtype/dtype.h"

#include <array>
#include <string>

#include "base/math/checked.h"

namespace waybill {
namespace {

enum class Family : uint8_t { kNone, kFloat, kInt, kOther };

struct Facts {
  std::string_view name;        // as in type strings
  std::string_view proto_name;  // as in TensorProto.DataType
  uint16_t bits;
  uint8_t align;
  Family family;
};

constexpr std::array<Facts, kDTypeCount> kFacts = {{
    {"undefined", "UNDEFINED", 0, 1, Family::kNone},
    {"float", "FLOAT", 32, 4, Family::kFloat},
    {"uint8", "UINT8", 8, 1, Family::kInt},
    {"int8", "INT8", 8, 1, Family::kInt},
    {"uint16", "UINT16", 16, 2, Family::kInt},
    {"int16", "INT16", 16, 2, Family::kInt},
    {"int32", "INT32", 32, 4, Family::kInt},
    {"int64", "INT64", 64, 8, Family::kInt},
    {"string", "STRING", 8 * sizeof(std::string), alignof(std::string), Family::kOther},
    {"bool", "BOOL", 8, 1, Family::kOther},
    {"float16", "FLOAT16", 16, 2, Family::kFloat},
    {"double", "DOUBLE", 64, 8, Family::kFloat},
    {"uint32", "UINT32", 32, 4, Family::kInt},
    {"uint64", "UINT64", 64, 8, Family::kInt},
    {"complex64", "COMPLEX64", 64, 4, Family::kOther},
    {"complex128", "COMPLEX128", 128, 8, Family::kOther},
    {"bfloat16", "BFLOAT16", 16, 2, Family::kFloat},
    {"float8e4m3fn", "FLOAT8E4M3FN", 8, 1, Family::kFloat},
    {"float8e4m3fnuz", "FLOAT8E4M3FNUZ", 8, 1, Family::kFloat},
    {"float8e5m2", "FLOAT8E5M2", 8, 1, Family::kFloat},
    {"float8e5m2fnuz", "FLOAT8E5M2FNUZ", 8, 1, Family::kFloat},
    {"uint4", "UINT4", 4, 1, Family::kInt},
    {"int4", "INT4", 4, 1, Family::kInt},
    {"float4e2m1", "FLOAT4E2M1", 4, 1, Family::kFloat},
    {"float8e8m0", "FLOAT8E8M0", 8, 1, Family::kFloat},
    {"uint2", "UINT2", 2, 1, Family::kInt},
    {"int2", "INT2", 2, 1, Family::kInt},
}};

const Facts& FactsOf(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  return kFacts[index < kFacts.size() ? index : 0];
}

}  // namespace

size_t DTypeBits(DType dtype) { return FactsOf(dtype).bits; }

std::optional<size_t> DTypeBytes(DType dtype, size_t elems) {
  const size_t bits = FactsOf(dtype).bits;
  if (bits >= 8) return CheckedMul(elems, bits / 8);
  if (bits == 0) return 0;
  return CeilDiv(elems, 8 / bits);
}

size_t DTypeAlign(DType dtype) { return FactsOf(dtype).align; }

std::string_view DTypeName(DType dtype) { return FactsOf(dtype).name; }

std::optional<DType> DTypeFromName(std::string_view name) {
  for (size_t i = 1; i < kFacts.size(); ++i) {
    if (kFacts[i].name == name || kFacts[i].proto_name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool IsFloatDType(DType dtype) { return FactsOf(dtype).family == Family::kFloat; }
bool IsIntDType(DType dtype) { return FactsOf(dtype).family == Family::kInt; }

}  // namespace waybill
