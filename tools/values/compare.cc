#include "tools/values/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "tools/values/describe.h"
#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

std::optional<Difference> Differs(const std::string& where, const std::string& reason,
                                  const std::string& got, const std::string& want) {
  return Difference{reason, where, got, want, 0};
}

std::string IndexText(size_t index, const std::vector<int64_t>& shape) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(std::max<int64_t>(shape[i], 1));
    at[i] = static_cast<int64_t>(index % dim);
    index /= dim;
  }
  return ShapeText(at);
}

class TensorComparison {
 public:
  TensorComparison(const Ort::Value& got, const Ort::Value& want, const Tolerance& tolerance)
      : got_(got),
        want_(want),
        tolerance_(tolerance),
        type_(want.GetTensorTypeAndShapeInfo().GetElementType()),
        shape_(want.GetTensorTypeAndShapeInfo().GetShape()),
        count_(want.GetTensorTypeAndShapeInfo().GetElementCount()) {}

  std::optional<Difference> Run(const std::string& where) {
    const ElementInfo& element = InfoOf(type_);
    const bool by_number = element.is_float && element.bits > 8 && element.bits <= 64 &&
                           type_ != ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64;
    if (by_number) {
      Numbers();
    } else if (type_ == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      for (size_t i = 0; i < count_; ++i) {
        if (got_.GetStringTensorElement(i) != want_.GetStringTensorElement(i)) Note(i, 0);
      }
    } else {
      Exact(element);
    }
    if (tolerance_.top1 && by_number && differing_ == 0) return Top1(where);
    if (differing_ == 0) return std::nullopt;
    return Difference{
        std::to_string(differing_) + " of " + std::to_string(count_) +
            (differing_ == 1 && count_ == 1 ? " element differs" : " elements differ"),
        where + IndexText(worst_, shape_), TextAt(got_, type_, worst_),
        TextAt(want_, type_, worst_), worst_error_};
  }

 private:
  void Note(size_t index, double error) {
    if (differing_++ == 0 || error > worst_error_) {
      worst_ = index;
      worst_error_ = error;
    }
  }

  void Exact(const ElementInfo& element) {
    const size_t bytes = element.bits / 8;
    const auto* a = static_cast<const char*>(got_.GetTensorRawData());
    const auto* b = static_cast<const char*>(want_.GetTensorRawData());
    for (size_t i = 0; i < count_; ++i) {
      const bool same = bytes != 0 ? std::memcmp(a + i * bytes, b + i * bytes, bytes) == 0
                                   : BitsAt(got_, type_, i) == BitsAt(want_, type_, i);
      if (!same) {
        Note(i, std::fabs(NumberAt(got_, type_, i) - NumberAt(want_, type_, i)));
      }
    }
  }

  void Numbers() {
    double largest = 0;
    for (size_t i = 0; i < count_; ++i) {
      const double number = std::fabs(NumberAt(want_, type_, i));
      if (std::isfinite(number)) largest = std::max(largest, number);
    }
    const double factor =
        type_ == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16    ? tolerance_.of_largest_half
        : type_ == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 ? tolerance_.of_largest_bfloat
                                                          : tolerance_.of_largest;
    const double absolute = std::max(tolerance_.absolute, factor * largest);
    for (size_t i = 0; i < count_; ++i) {
      const double a = NumberAt(got_, type_, i), b = NumberAt(want_, type_, i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      const double error = std::fabs(a - b);
      if (!std::isfinite(error)) {
        Note(i, std::numeric_limits<double>::infinity());
      } else if (error > tolerance_.relative * std::fabs(b) + absolute) {
        Note(i, error);
      }
    }
  }

  std::optional<Difference> Top1(const std::string& where) const {
    const size_t row =
        shape_.empty() || shape_.back() <= 0 ? 1 : static_cast<size_t>(shape_.back());
    for (size_t start = 0; start + row <= count_; start += row) {
      size_t best_got = start, best_want = start;
      for (size_t i = start; i < start + row; ++i) {
        if (NumberAt(got_, type_, i) > NumberAt(got_, type_, best_got)) best_got = i;
        if (NumberAt(want_, type_, i) > NumberAt(want_, type_, best_want)) best_want = i;
      }
      if (best_got != best_want) {
        return Differs(where + IndexText(best_got, shape_), "another element is the largest",
                       TextAt(got_, type_, best_got), TextAt(want_, type_, best_want));
      }
    }
    return std::nullopt;
  }

  const Ort::Value& got_;
  const Ort::Value& want_;
  const Tolerance& tolerance_;
  ONNXTensorElementDataType type_;
  std::vector<int64_t> shape_;
  size_t count_;
  size_t differing_ = 0, worst_ = 0;
  double worst_error_ = 0;
};

std::optional<Difference> CompareAt(const Ort::Value& got, const Ort::Value& want,
                                    const Tolerance& tolerance, const std::string& where);

// Maps are compared key by key, in whatever order they come.
std::optional<Difference> CompareMaps(const Ort::Value& got, const Ort::Value& want,
                                      const Tolerance& tolerance, const std::string& where) {
  Ort::AllocatorWithDefaultOptions allocator;
  const Ort::Value got_keys = got.GetValue(0, allocator), want_keys = want.GetValue(0, allocator);
  const Ort::Value got_values = got.GetValue(1, allocator),
                   want_values = want.GetValue(1, allocator);
  const auto texts = [](const Ort::Value& keys) {
    const auto info = keys.GetTensorTypeAndShapeInfo();
    std::vector<std::string> out;
    for (size_t i = 0; i < info.GetElementCount(); ++i) {
      out.push_back(TextAt(keys, info.GetElementType(), i));
    }
    return out;
  };
  const std::vector<std::string> a = texts(got_keys), b = texts(want_keys);
  if (a == b) return CompareAt(got_values, want_values, tolerance, where + ".values");
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < a.size(); ++i) places[a[i]] = i;
  if (a.size() != b.size()) {
    return Differs(where + ".keys", "another number of keys", std::to_string(a.size()),
                   std::to_string(b.size()));
  }
  for (const std::string& key : b) {
    if (places.count(key) == 0) return Differs(where + ".keys", "a key is missing", "", key);
  }
  const auto type = want_values.GetTensorTypeAndShapeInfo().GetElementType();
  for (size_t i = 0; i < b.size(); ++i) {
    const size_t j = places[b[i]];
    const double x = NumberAt(got_values, type, j), y = NumberAt(want_values, type, i);
    if (std::fabs(x - y) > tolerance.relative * std::fabs(y) + tolerance.absolute) {
      return Difference{"the value of a key differs", where + "[" + b[i] + "]",
                        TextAt(got_values, type, j), TextAt(want_values, type, i),
                        std::fabs(x - y)};
    }
  }
  return std::nullopt;
}

std::optional<Difference> CompareSequences(const Ort::Value& got, const Ort::Value& want,
                                           const Tolerance& tolerance, const std::string& where) {
  Ort::AllocatorWithDefaultOptions allocator;
  if (got.GetCount() != want.GetCount()) {
    return Differs(where, "another number of items", std::to_string(got.GetCount()),
                   std::to_string(want.GetCount()));
  }
  for (size_t i = 0; i < want.GetCount(); ++i) {
    const int index = static_cast<int>(i);
    const Ort::Value a = got.GetValue(index, allocator), b = want.GetValue(index, allocator);
    auto difference = CompareAt(a, b, tolerance, where + "[" + std::to_string(i) + "]");
    if (difference) return difference;
  }
  return std::nullopt;
}

std::optional<Difference> CompareAt(const Ort::Value& got, const Ort::Value& want,
                                    const Tolerance& tolerance, const std::string& where) {
  if (got.HasValue() != want.HasValue()) {
    return Differs(where, "one is there, the other is not", got.HasValue() ? "a value" : "none",
                   want.HasValue() ? "a value" : "none");
  }
  if (!want.HasValue()) return std::nullopt;
  const ONNXType kind = KindOf(want);
  if (KindOf(got) != kind) return Differs(where, "another kind", Describe(got), Describe(want));
  switch (kind) {
    case ONNX_TYPE_SEQUENCE:
      return CompareSequences(got, want, tolerance, where);
    case ONNX_TYPE_MAP:
      return CompareMaps(got, want, tolerance, where);
    case ONNX_TYPE_TENSOR:
      break;
    default:
      return Differs(where, "values of this kind cannot be compared", Describe(got),
                     Describe(want));
  }
  if (Describe(got) != Describe(want)) {
    return Differs(where, "another type or shape", Describe(got), Describe(want));
  }
  return TensorComparison(got, want, tolerance).Run(where);
}

}  // namespace

std::optional<Difference> Compare(const Ort::Value& got, const Ort::Value& want,
                                  const Tolerance& tolerance) {
  return CompareAt(got, want, tolerance, "");
}

bool BitEqual(const Ort::Value& a, const Ort::Value& b) {
  if (a.HasValue() != b.HasValue()) return false;
  if (!a.HasValue()) return true;
  if (KindOf(a) != KindOf(b)) return false;
  if (KindOf(a) != ONNX_TYPE_TENSOR) {
    Ort::AllocatorWithDefaultOptions allocator;
    if (a.GetCount() != b.GetCount()) return false;
    for (int i = 0; i < static_cast<int>(a.GetCount()); ++i) {
      if (!BitEqual(a.GetValue(i, allocator), b.GetValue(i, allocator))) return false;
    }
    return true;
  }
  if (Describe(a) != Describe(b)) return false;
  const auto info = a.GetTensorTypeAndShapeInfo();
  if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    for (size_t i = 0; i < info.GetElementCount(); ++i) {
      if (a.GetStringTensorElement(i) != b.GetStringTensorElement(i)) return false;
    }
    return true;
  }
  const size_t bytes = a.GetTensorSizeInBytes();
  return bytes == 0 || std::memcmp(a.GetTensorRawData(), b.GetTensorRawData(), bytes) == 0;
}

}  // namespace waybill::tools
