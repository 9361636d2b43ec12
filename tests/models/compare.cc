#include "tests/models/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensor/dtype/types.h"

namespace waybill::testing {

namespace {

std::vector<double> AsDoubles(const Tensor& tensor) {
  std::vector<double> out(static_cast<size_t>(tensor.shape().elems()));
  for (size_t i = 0; i < out.size(); ++i) {
    switch (tensor.dtype()) {
      case DType::kF32:
        out[i] = static_cast<double>(tensor.span<float>()[i]);
        break;
      case DType::kF64:
        out[i] = tensor.span<double>()[i];
        break;
      case DType::kF16:
        out[i] = static_cast<double>(tensor.span<Half>()[i]);
        break;
      default:
        out[i] = static_cast<double>(tensor.span<BFloat16>()[i]);
    }
  }
  return out;
}

std::string CompareFloats(const Tensor& expected, const Tensor& actual, const Tolerance& t) {
  const std::vector<double> want = AsDoubles(expected), got = AsDoubles(actual);
  double largest = 0;
  for (const double value : want) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const bool is_half = expected.dtype() == DType::kF16 || expected.dtype() == DType::kBF16;
  size_t wrong = 0, worst = 0;
  double worst_excess = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] == got[i] || (std::isnan(want[i]) && std::isnan(got[i]))) continue;
    double allowed = 1e-3 * std::abs(want[i]) + std::max(10 * t.noise, 1e-5 * largest);
    if (is_half) allowed = std::max(allowed, 4e-3 * largest);
    if (t.fixed > 0) allowed = t.fixed;
    const double difference = std::abs(want[i] - got[i]);
    if (difference <= allowed) continue;
    ++wrong;
    if (wrong == 1 || !(difference - allowed <= worst_excess)) {
      worst = i;
      worst_excess = difference - allowed;
    }
  }
  if (wrong != 0) {
    return Format("{} of {} elements differ, most at {}: {} instead of {} (largest {})", wrong,
                  want.size(), worst, got[worst], want[worst], largest);
  }
  const auto top = [](const std::vector<double>& v) {
    return std::max_element(v.begin(), v.end()) - v.begin();
  };
  if (t.fixed > 0 && !want.empty() && top(want) != top(got)) {
    return Format("the largest score is at {} instead of {}", top(got), top(want));
  }
  return "";
}

std::string CompareTensors(const Tensor& expected, const Tensor& actual, const Tolerance* t) {
  if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape()) {
    return Format("{} instead of {}", actual.view().Describe(), expected.view().Describe());
  }
  const bool is_float = expected.dtype() == DType::kF32 || expected.dtype() == DType::kF64 ||
                        expected.dtype() == DType::kF16 || expected.dtype() == DType::kBF16;
  if (is_float && t != nullptr) return CompareFloats(expected, actual, *t);
  if (expected.dtype() == DType::kString) {
    const auto want = expected.span<std::string>(), got = actual.span<std::string>();
    for (size_t i = 0; i < want.size(); ++i) {
      if (want[i] != got[i]) return Format("element {} is {} instead of {}", i, got[i], want[i]);
    }
    return "";
  }
  const size_t bytes = expected.view().bytes();
  if (bytes == 0 || std::memcmp(expected.view().data, actual.view().data, bytes) == 0) return "";
  const auto [want, got] =
      std::mismatch(expected.view().data, expected.view().data + bytes, actual.view().data);
  return Format("bytes differ from {} of {} on", want - expected.view().data, bytes);
}

std::string CompareValues(const Value& expected, const Value& actual, const Tolerance* t) {
  if (expected.kind() != actual.kind()) {
    return Format("{} instead of {}", actual.type().TypeString(), expected.type().TypeString());
  }
  if (expected.tensor()) return CompareTensors(*expected.tensor(), *actual.tensor(), t);
  if (const SequenceValue* want = expected.sequence()) {
    const SequenceValue& got = *actual.sequence();
    if (want->items.size() != got.items.size()) {
      return Format("{} items instead of {}", got.items.size(), want->items.size());
    }
    for (size_t i = 0; i < want->items.size(); ++i) {
      std::string why = CompareValues(want->items[i], got.items[i], t);
      if (!why.empty()) return Format("item {}: {}", i, why);
    }
    return "";
  }
  if (const MapValue* want = expected.map()) {
    std::string why = CompareTensors(want->keys, actual.map()->keys, t);
    return why.empty() ? CompareValues(*want->values, *actual.map()->values, t) : why;
  }
  return expected.defined() ? "values of this kind are not compared" : "";
}

}  // namespace

std::string Compare(const Value& expected, const Value& actual, const Tolerance& tolerance) {
  return CompareValues(expected, actual, &tolerance);
}

std::string CompareBits(const Value& expected, const Value& actual) {
  return CompareValues(expected, actual, nullptr);
}

}  // namespace waybill::testing
