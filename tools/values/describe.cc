#include "tools/values/describe.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

std::string DescribeTensor(const Ort::ConstTensorTypeAndShapeInfo& info) {
  std::string out = InfoOf(info.GetElementType()).name;
  if (!info.HasShape()) return out + " ?";
  const std::vector<int64_t> shape = info.GetShape();
  const std::vector<const char*> symbols = info.GetSymbolicDimensions();
  out += " [";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) out += ", ";
    out += shape[i] >= 0 ? std::to_string(shape[i]) : symbols[i][0] != '\0' ? symbols[i] : "?";
  }
  return out + "]";
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string SummarizeTensor(const Ort::Value& value, size_t limit) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  const auto type = info.GetElementType();
  const size_t count = info.GetElementCount();
  std::string out = Describe(value);
  if (count > 1 && type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    double low = INFINITY, high = -INFINITY, sum = 0;
    size_t numbers = 0;
    for (size_t i = 0; i < count; ++i) {
      const double number = NumberAt(value, type, i);
      if (std::isnan(number)) continue;
      low = std::min(low, number);
      high = std::max(high, number);
      sum += number;
      ++numbers;
    }
    if (numbers != 0) {
      out += "  min " + Number(low) + "  max " + Number(high) + "  mean " +
             Number(sum / static_cast<double>(numbers));
    }
    if (numbers != count) out += "  NaN " + std::to_string(count - numbers);
  }
  if (count == 0 || limit == 0) return out;
  out += "\n   ";
  for (size_t i = 0; i < std::min(count, limit); ++i) out += " " + TextAt(value, type, i);
  if (count > limit) out += " ...";
  return out;
}

nlohmann::ordered_json ElementJson(const Ort::Value& value, ONNXTensorElementDataType type,
                                   size_t index) {
  const ElementInfo& element = InfoOf(type);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return value.GetStringTensorElement(index);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL) return BitsAt(value, type, index) != 0;
  const double number = NumberAt(value, type, index);
  if (element.is_float) {
    if (!std::isfinite(number)) return TextAt(value, type, index);
    return number;
  }
  constexpr double kExact = 9007199254740992.0;
  if (std::fabs(number) >= kExact) return TextAt(value, type, index);
  return static_cast<int64_t>(number);
}

}  // namespace

ONNXType KindOf(const Ort::Value& value) {
  const Ort::TypeInfo type = value.GetTypeInfo();
  return type == nullptr ? ONNX_TYPE_UNKNOWN : type.GetONNXType();
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    out += (i != 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return out + "]";
}

std::string Describe(const Ort::ConstTypeInfo& type) {
  if (type == nullptr) return "nothing";
  switch (type.GetONNXType()) {
    case ONNX_TYPE_TENSOR:
      return DescribeTensor(type.GetTensorTypeAndShapeInfo());
    case ONNX_TYPE_SPARSETENSOR:
      return "sparse " + DescribeTensor(type.GetTensorTypeAndShapeInfo());
    case ONNX_TYPE_SEQUENCE:
      return "seq(" + Describe(type.GetSequenceTypeInfo().GetSequenceElementType().GetConst()) +
             ")";
    case ONNX_TYPE_OPTIONAL:
      return "optional(" +
             Describe(type.GetOptionalTypeInfo().GetOptionalElementType().GetConst()) + ")";
    case ONNX_TYPE_MAP: {
      const Ort::ConstMapTypeInfo map = type.GetMapTypeInfo();
      return std::string("map(") + InfoOf(map.GetMapKeyType()).name + ", " +
             Describe(map.GetMapValueType().GetConst()) + ")";
    }
    default:
      return "unknown";
  }
}

std::string Describe(const Ort::Value& value) {
  if (value == nullptr) return "nothing";
  return Describe(value.GetTypeInfo().GetConst());
}

std::string Summary(const Ort::Value& value, size_t limit) {
  if (value == nullptr || !value.HasValue()) return "nothing";
  if (KindOf(value) == ONNX_TYPE_TENSOR) return SummarizeTensor(value, limit);
  std::string out = Describe(value);
  if (KindOf(value) != ONNX_TYPE_SEQUENCE && KindOf(value) != ONNX_TYPE_MAP) return out;
  Ort::AllocatorWithDefaultOptions allocator;
  const bool map = KindOf(value) == ONNX_TYPE_MAP;
  const size_t count = value.GetCount();
  if (!map) out += ", " + std::to_string(count) + (count == 1 ? " item" : " items");
  for (size_t i = 0; i < std::min<size_t>(count, 8); ++i) {
    const std::string label = !map ? "[" + std::to_string(i) + "]" : i == 0 ? "keys" : "values";
    std::string inner = Summary(value.GetValue(static_cast<int>(i), allocator), limit);
    for (size_t at = inner.find('\n'); at != std::string::npos; at = inner.find('\n', at + 3)) {
      inner.insert(at + 1, "  ");
    }
    out += "\n  " + label + " " + inner;
  }
  return out;
}

nlohmann::ordered_json ToJson(const Ort::Value& value, size_t limit) {
  if (value == nullptr || !value.HasValue()) return nullptr;
  Ort::AllocatorWithDefaultOptions allocator;
  nlohmann::ordered_json out;
  switch (KindOf(value)) {
    case ONNX_TYPE_TENSOR: {
      const auto info = value.GetTensorTypeAndShapeInfo();
      const size_t count = info.GetElementCount();
      out["type"] = InfoOf(info.GetElementType()).name;
      out["shape"] = info.GetShape();
      out["data"] = nlohmann::ordered_json::array();
      for (size_t i = 0; i < std::min(count, limit); ++i) {
        out["data"].push_back(ElementJson(value, info.GetElementType(), i));
      }
      if (count > limit) out["elements"] = count;
      return out;
    }
    case ONNX_TYPE_SEQUENCE:
      out["items"] = nlohmann::ordered_json::array();
      for (size_t i = 0; i < value.GetCount(); ++i) {
        out["items"].push_back(ToJson(value.GetValue(static_cast<int>(i), allocator), limit));
      }
      return out;
    case ONNX_TYPE_MAP:
      out["keys"] = ToJson(value.GetValue(0, allocator), limit);
      out["values"] = ToJson(value.GetValue(1, allocator), limit);
      return out;
    default:
      out["type"] = Describe(value);
      return out;
  }
}

}  // namespace waybill::tools
