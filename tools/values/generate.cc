#include "tools/values/generate.h"

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

// std::mt19937_64 is the same everywhere, the standard's distributions are not.
class Source {
 public:
  explicit Source(uint64_t seed) : engine_(seed) {}
  uint64_t Below(uint64_t bound) { return engine_() % bound; }
  float Unit() { return static_cast<float>(engine_() >> 40) * 0x1p-24f; }

 private:
  std::mt19937_64 engine_;
};

// Floats of at most 8 bits: the `count` codes from `first` on are numbers below 1.
struct Codes {
  ONNXTensorElementDataType type;
  uint8_t first, count;
};
constexpr Codes kSmallFloats[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 0x18, 0x20},    // 1/16 and more
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, 0x20, 0x20},  // the same
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 0x2C, 0x10},      // the same
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, 0x30, 0x10},  // the same
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 123, 4},          // 2^-4 to 2^-1
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 0, 2},            // 0 and 1/2
};

// An element of at most 8 bits; integers are 0 or 1.
uint8_t SmallCode(const ElementInfo& element, Source& source) {
  for (const Codes& codes : kSmallFloats) {
    if (codes.type == element.type) {
      return static_cast<uint8_t>(codes.first + source.Below(codes.count));
    }
  }
  return static_cast<uint8_t>(source.Below(2));
}

void Write(void* data, const ElementInfo& element, size_t index, Source& source) {
  const size_t bytes = element.bits / 8;
  char* to = static_cast<char*>(data) + index * bytes;
  const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (element.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return put(source.Unit());
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return put(static_cast<double>(source.Unit()));
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
      return put(Ort::Float16_t(source.Unit()).val);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
      return put(Ort::BFloat16_t(source.Unit()).val);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64:
      return put(std::array{source.Unit(), source.Unit()});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128:
      return put(std::array{double{source.Unit()}, double{source.Unit()}});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
      return put(static_cast<uint8_t>(source.Below(256)));
    default:
      break;
  }
  // Little-endian: the lowest byte holds the number.
  std::memset(to, 0, bytes);
  *to = static_cast<char>(SmallCode(element, source));
}

// Elements of less than a byte: the first in the lowest bits.
void WritePacked(void* data, const ElementInfo& element, size_t count, Source& source) {
  auto* to = static_cast<uint8_t*>(data);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i * element.bits;
    const auto code = static_cast<uint8_t>(SmallCode(element, source) << (at % 8));
    to[at / 8] = static_cast<uint8_t>(to[at / 8] | code);
  }
}

}  // namespace

Ort::Value Generate(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                    uint64_t seed) {
  Ort::AllocatorWithDefaultOptions allocator;
  Ort::Value value = Ort::Value::CreateTensor(allocator, shape.data(), shape.size(), type);
  const size_t count = value.GetTensorTypeAndShapeInfo().GetElementCount();
  const ElementInfo& element = InfoOf(type);
  Source source(seed);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    for (size_t i = 0; i < count; ++i) {
      value.FillStringTensorElement(("text-" + std::to_string(source.Below(100))).c_str(), i);
    }
    return value;
  }
  void* data = value.GetTensorMutableRawData();
  if (element.bits < 8) {
    std::memset(data, 0, value.GetTensorSizeInBytes());
    WritePacked(data, element, count, source);
    return value;
  }
  for (size_t i = 0; i < count; ++i) Write(data, element, i, source);
  return value;
}

}  // namespace waybill::tools
