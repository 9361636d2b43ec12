#include "bench/e2e/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text/format.h"
#include "tensor/dtype/types.h"

namespace waybill::bench {

namespace {

// One tensor of either library, as doubles or strings.
struct Contents {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> dims;
  std::vector<double> numbers;
  std::string texts;
  std::vector<size_t> offsets;
};

template <typename T>
void Widen(const void* data, size_t count, std::vector<double>& out) {
  const T* values = static_cast<const T*>(data);
  out.resize(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<double>(values[i]);
}

void ReadNumbers(const void* data, size_t count, Contents& out) {
  switch (static_cast<DType>(out.type)) {
    case DType::kF32:
      return Widen<float>(data, count, out.numbers);
    case DType::kF64:
      return Widen<double>(data, count, out.numbers);
    case DType::kF16:
      return Widen<Half>(data, count, out.numbers);
    case DType::kBF16:
      return Widen<BFloat16>(data, count, out.numbers);
    case DType::kI64:
      return Widen<int64_t>(data, count, out.numbers);
    case DType::kU64:
      return Widen<uint64_t>(data, count, out.numbers);
    case DType::kI32:
      return Widen<int32_t>(data, count, out.numbers);
    case DType::kU32:
      return Widen<uint32_t>(data, count, out.numbers);
    case DType::kI16:
      return Widen<int16_t>(data, count, out.numbers);
    case DType::kU16:
      return Widen<uint16_t>(data, count, out.numbers);
    case DType::kI8:
      return Widen<int8_t>(data, count, out.numbers);
    case DType::kU8:
    case DType::kBool:
      return Widen<uint8_t>(data, count, out.numbers);
    default:
      throw BenchError(Format("outputs of element type {} are not compared", int{out.type}));
  }
}

Contents ReadTensor(const Library& library, OrtValue* value) {
  const OrtApi& api = library.api();
  Contents out;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  library.Check(api.GetTensorTypeAndShape(value, &info));
  size_t rank = 0, count = 0;
  library.Check(api.GetTensorElementType(info, &out.type));
  library.Check(api.GetDimensionsCount(info, &rank));
  out.dims.resize(rank);
  library.Check(api.GetDimensions(info, out.dims.data(), rank));
  library.Check(api.GetTensorShapeElementCount(info, &count));
  api.ReleaseTensorTypeAndShapeInfo(info);
  if (out.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    size_t bytes = 0;
    library.Check(api.GetStringTensorDataLength(value, &bytes));
    out.texts.resize(bytes);
    out.offsets.resize(count);
    library.Check(
        api.GetStringTensorContent(value, out.texts.data(), bytes, out.offsets.data(), count));
    return out;
  }
  void* data = nullptr;
  library.Check(api.GetTensorMutableData(value, &data));
  ReadNumbers(data, count, out);
  return out;
}

class Comparison {
 public:
  Comparison(const Library& a, const Library& b) : a_(a), b_(b) {}

  void Add(OrtValue* a, OrtValue* b, const std::string& name) {
    const ONNXType kind = KindOf(a_, a);
    if (kind != KindOf(b_, b)) return Problem(name + ": other kinds of value");
    if (kind == ONNX_TYPE_TENSOR) return AddTensors(a, b, name);
    const size_t count = CountOf(a_, a);
    if (count != CountOf(b_, b)) return Problem(name + ": other numbers of items");
    for (size_t i = 0; i < count; ++i) {
      OrtValue* item_a = ItemOf(a_, a, i);
      OrtValue* item_b = ItemOf(b_, b, i);
      Add(item_a, item_b, name);
      a_.api().ReleaseValue(item_a);
      b_.api().ReleaseValue(item_b);
    }
  }

  Difference result;

 private:
  static ONNXType KindOf(const Library& library, OrtValue* value) {
    ONNXType kind = ONNX_TYPE_UNKNOWN;
    library.Check(library.api().GetValueType(value, &kind));
    return kind;
  }
  static size_t CountOf(const Library& library, OrtValue* value) {
    size_t count = 0;
    library.Check(library.api().GetValueCount(value, &count));
    return count;
  }
  static OrtValue* ItemOf(const Library& library, OrtValue* value, size_t i) {
    OrtValue* item = nullptr;
    library.Check(library.api().GetValue(value, static_cast<int>(i), library.allocator(), &item));
    return item;
  }

  void AddTensors(OrtValue* value_a, OrtValue* value_b, const std::string& name) {
    const Contents a = ReadTensor(a_, value_a), b = ReadTensor(b_, value_b);
    if (a.type != b.type || a.dims != b.dims) return Problem(name + ": other types or shapes");
    if (a.texts != b.texts || a.offsets != b.offsets) return Problem(name + ": other strings");
    double largest = 0, scale = 0;
    for (size_t i = 0; i < a.numbers.size(); ++i) {
      const double x = a.numbers[i], y = b.numbers[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!std::isfinite(x) || !std::isfinite(y)) return Problem(name + ": infinite or NaN in one");
      largest = std::max(largest, std::abs(x - y));
    }
    for (const double y : b.numbers) {
      if (std::isfinite(y)) scale = std::max(scale, std::abs(y));
    }
    result.largest = std::max(result.largest, largest);
    result.relative = std::max(result.relative, scale > 0 ? largest / scale : largest);
  }

  void Problem(const std::string& text) {
    if (result.problem.empty()) result.problem = text;
  }

  const Library& a_;
  const Library& b_;
};

}  // namespace

Difference CompareOutputs(const BenchSession& a, const BenchSession& b) {
  Comparison comparison(a.library(), b.library());
  if (a.outputs().size() != b.outputs().size()) {
    comparison.result.problem = "other numbers of outputs";
    return comparison.result;
  }
  for (size_t i = 0; i < a.outputs().size(); ++i) {
    comparison.Add(a.outputs()[i], b.outputs()[i], a.output_names()[i]);
  }
  return comparison.result;
}

}  // namespace waybill::bench
