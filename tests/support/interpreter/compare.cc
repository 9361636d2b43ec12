#include "tests/support/interpreter/compare.h"

#include <cmath>
#include <complex>
#include <type_traits>

#include "tensor/dtype/dispatch.h"
#include "tensor/dtype/packed.h"

namespace waybill::test {

namespace {

bool Close(double a, double b, const Tolerance& t) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= t.atol + t.rtol * std::abs(b);
}

template <typename T>
bool Same(const T& a, const T& b, const Tolerance& t) {
  if constexpr (requires { a.real(); }) {
    return Close(a.real(), b.real(), t) && Close(a.imag(), b.imag(), t);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_integral_v<T>) {
    return a == b;
  } else if constexpr (requires { a.ToInt(); }) {
    return a.ToInt() == b.ToInt();
  } else {
    return Close(static_cast<double>(a), static_cast<double>(b), t);
  }
}

template <typename T>
std::string Show(const T& a) {
  if constexpr (requires { a.real(); }) {
    return Format("({}, {})", a.real(), a.imag());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "'" + a + "'";
  } else if constexpr (std::is_integral_v<T>) {
    return Format("{}", a);
  } else if constexpr (requires { a.ToInt(); }) {
    return Format("{}", a.ToInt());
  } else {
    return Format("{}", static_cast<double>(a));
  }
}

template <typename T>
std::string DifferentElements(const TensorView& actual, const TensorView& expected,
                              const Tolerance& tolerance) {
  const auto count = static_cast<size_t>(expected.elems());
  size_t differ = 0;
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    const T a = LoadElement<T>(actual.data, i);
    const T b = LoadElement<T>(expected.data, i);
    if (Same(a, b, tolerance)) continue;
    if (differ++ == 0) first = Format("element {} is {}, expected {}", i, Show(a), Show(b));
  }
  if (differ == 0) return {};
  return Format("{} ({} of {} differ)", first, differ, count);
}

std::string DifferentTensors(const TensorView& actual, const TensorView& expected,
                             const Tolerance& tolerance) {
  if (actual.dtype != expected.dtype || !(actual.shape == expected.shape)) {
    return Format("it is {}, expected {}", actual.Describe(), expected.Describe());
  }
  std::string out;
  const Status status =
      DispatchDType(expected.dtype, ConcatTypes<UnpackedTypes, PackedTypes>{}, [&]<typename T>() {
        out = DifferentElements<T>(actual, expected, tolerance);
        return Status();
      });
  return status.ok() ? out : status.ToString();
}

std::string DifferentSequences(const SequenceValue& actual, const SequenceValue& expected,
                               const Tolerance& tolerance) {
  if (actual.items.size() != expected.items.size()) {
    return Format("it has {} items, expected {}", actual.items.size(), expected.items.size());
  }
  for (size_t i = 0; i < expected.items.size(); ++i) {
    const std::string item = Difference(actual.items[i], expected.items[i], tolerance);
    if (!item.empty()) return Format("item {}: {}", i, item);
  }
  return {};
}

}  // namespace

std::string Difference(const Value& actual, const Value& expected, const Tolerance& tolerance) {
  // A test's file may hold the value of an optional without the optional around it.
  if (const OptionalValue* optional = actual.optional();
      optional != nullptr && expected.kind() != ValueKind::kOptional && optional->value) {
    return Difference(*optional->value, expected, tolerance);
  }
  if (actual.kind() != expected.kind()) {
    return Format("it is {}, expected {}", actual.type().ToString(), expected.type().ToString());
  }
  if (const Tensor* tensor = expected.tensor()) {
    return DifferentTensors(actual.tensor()->view(), tensor->view(), tolerance);
  }
  if (const SequenceValue* sequence = expected.sequence()) {
    return DifferentSequences(*actual.sequence(), *sequence, tolerance);
  }
  if (const OptionalValue* optional = expected.optional()) {
    const OptionalValue* got = actual.optional();
    if ((got->value == nullptr) != (optional->value == nullptr)) {
      return got->value ? "it holds a value, expected none" : "it holds nothing";
    }
    return got->value ? Difference(*got->value, *optional->value, tolerance) : std::string();
  }
  if (const MapValue* map = expected.map()) {
    const std::string keys = Difference(Value(actual.map()->keys), Value(map->keys), tolerance);
    if (!keys.empty()) return "keys: " + keys;
    return Difference(*actual.map()->values, *map->values, tolerance);
  }
  return "values of this kind are not compared";
}

}  // namespace waybill::test
