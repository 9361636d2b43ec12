#include "tools/values/generate.h"

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
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
      return put(static_cast<uint8_t>(source.Below(256)));
    default:
      break;
  }
  // Little-endian: the lowest byte holds the number.
  std::memset(to, 0, bytes);
  if (!element.is_float) *to = static_cast<char>(source.Below(2));
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
    return value;
  }
  for (size_t i = 0; i < count; ++i) Write(data, element, i, source);
  return value;
}

}  // namespace waybill::tools
