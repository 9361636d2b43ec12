#include "tools/values/elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace waybill::tools {
namespace {

constexpr std::array<ElementInfo, 27> kElements = {{
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, "undefined", "", 0, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, "float", "f4", 32, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, "uint8", "u1", 8, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, "int8", "i1", 8, false, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, "uint16", "u2", 16, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, "int16", "i2", 16, false, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, "int32", "i4", 32, false, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "int64", "i8", 64, false, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, "string", "", 0, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, "bool", "b1", 8, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, "float16", "f2", 16, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, "double", "f8", 64, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, "uint32", "u4", 32, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, "uint64", "u8", 64, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, "complex64", "c8", 64, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, "complex128", "c16", 128, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, "bfloat16", "", 16, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, "float8e4m3fn", "", 8, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, "float8e4m3fnuz", "", 8, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, "float8e5m2", "", 8, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, "float8e5m2fnuz", "", 8, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, "uint4", "", 4, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, "int4", "", 4, false, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, "float4e2m1", "", 4, true, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, "uint2", "", 2, false, false},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, "int2", "", 2, false, true},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, "float8e8m0", "", 8, true, false},
}};

// A float of few bits. `extremes` counts the codes at the top exponent that are no numbers: IEEE
// keeps all of them for infinity and NaN, "fn" only the last, "fnuz" none.
struct SmallFloat {
  int exponent_bits, fraction_bits, bias;
  enum class Special { kIeee, kLastIsNan, kNegativeZeroIsNan, kNone } special;
};

double Decode(const SmallFloat& format, uint64_t bits) {
  using Special = SmallFloat::Special;
  const int width = format.exponent_bits + format.fraction_bits;
  const bool negative = (bits >> width & 1) != 0;
  const auto top = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t exponent = bits >> format.fraction_bits & top;
  const auto last = (uint64_t{1} << format.fraction_bits) - 1;
  const uint64_t fraction = bits & last;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.special == Special::kNegativeZeroIsNan && bits == uint64_t{1} << width) return nan;
  if (format.special == Special::kLastIsNan && exponent == top && fraction == last) return nan;
  if (format.special == Special::kIeee && exponent == top) {
    if (fraction != 0) return nan;
    const double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  const double significand =
      static_cast<double>(fraction) + (exponent != 0 ? static_cast<double>(last + 1) : 0.0);
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias;
  const double magnitude = std::ldexp(significand, scale - format.fraction_bits);
  return negative ? -magnitude : magnitude;
}

template <typename T>
T As(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

int64_t SignExtend(uint64_t bits, size_t width) {
  const uint64_t sign = uint64_t{1} << (width - 1);
  return static_cast<int64_t>((bits ^ sign) - sign);
}

}  // namespace

const ElementInfo& InfoOf(ONNXTensorElementDataType type) {
  for (const ElementInfo& element : kElements) {
    if (element.type == type) return element;
  }
  return kElements[0];
}

const ElementInfo* FindByNumpy(const std::string& numpy) {
  for (const ElementInfo& element : kElements) {
    if (numpy == element.numpy && !numpy.empty()) return &element;
  }
  return nullptr;
}

uint64_t BitsAt(const Ort::Value& tensor, ONNXTensorElementDataType type, size_t index) {
  const size_t bits = InfoOf(type).bits;
  const auto* data = static_cast<const uint8_t*>(tensor.GetTensorRawData());
  if (bits < 8) {
    const size_t at = index * bits;
    return data[at / 8] >> (at % 8) & ((1u << bits) - 1);
  }
  uint64_t out = 0;
  std::memcpy(&out, data + index * (bits / 8), std::min<size_t>(bits / 8, 8));
  return out;
}

double NumberAt(const Ort::Value& tensor, ONNXTensorElementDataType type, size_t index) {
  using Special = SmallFloat::Special;
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128) {
    double real;
    std::memcpy(&real, static_cast<const char*>(tensor.GetTensorRawData()) + index * 16, 8);
    return real;
  }
  const uint64_t bits = BitsAt(tensor, type, index);
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64:
      return As<float>(bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return As<double>(bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
      return Decode({5, 10, 15, Special::kIeee}, bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
      return As<float>(bits << 16);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN:
      return Decode({4, 3, 7, Special::kLastIsNan}, bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ:
      return Decode({4, 3, 8, Special::kNegativeZeroIsNan}, bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2:
      return Decode({5, 2, 15, Special::kIeee}, bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ:
      return Decode({5, 2, 16, Special::kNegativeZeroIsNan}, bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1:
      return Decode({2, 1, 1, Special::kNone}, bits);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0:
      return bits == 255 ? std::numeric_limits<double>::quiet_NaN()
                         : std::ldexp(1.0, static_cast<int>(bits) - 127);
    default:
      break;
  }
  const ElementInfo& element = InfoOf(type);
  if (element.is_signed) return static_cast<double>(SignExtend(bits, element.bits));
  return static_cast<double>(bits);
}

std::string TextAt(const Ort::Value& tensor, ONNXTensorElementDataType type, size_t index) {
  const ElementInfo& element = InfoOf(type);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return "\"" + tensor.GetStringTensorElement(index) + "\"";
  }
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL) {
    return BitsAt(tensor, type, index) != 0 ? "true" : "false";
  }
  if (!element.is_float) {
    const uint64_t bits = BitsAt(tensor, type, index);
    return element.is_signed ? std::to_string(SignExtend(bits, element.bits))
                             : std::to_string(bits);
  }
  char text[40];
  std::snprintf(text, sizeof text, element.bits == 64 ? "%.15g" : "%.7g",
                NumberAt(tensor, type, index));
  return text;
}

}  // namespace waybill::tools
