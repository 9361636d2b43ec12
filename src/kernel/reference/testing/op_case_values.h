// Tensors from plain numbers and comparison of values, for OpCase and other tests.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "tensor/dtype/packed.h"
#include "tensor/value/value.h"

namespace waybill::kernel {

namespace op_case_internal {
template <typename T>
struct Element {
  static constexpr bool kNative = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                                  std::is_same_v<T, std::complex<float>> ||
                                  std::is_same_v<T, std::complex<double>>;
  static constexpr bool kSmallInt = requires(T t) { t.ToInt(); };
  using Type = std::conditional_t<kNative, T, std::conditional_t<kSmallInt, int, double>>;
};
}  // namespace op_case_internal

// What a test writes for an element: native types as they are, small floats as double, small
// integers as int.
template <typename T>
using OpCaseElement = typename op_case_internal::Element<T>::Type;

// Undefined, and the test failed, when the shape does not have `count` elements.
Tensor AllocateCaseTensor(DType dtype, const Shape& shape, size_t count);

template <typename T>
Tensor MakeCaseTensor(const Shape& shape, const std::vector<OpCaseElement<T>>& elements) {
  Tensor tensor = AllocateCaseTensor(kDTypeOf<T>, shape, elements.size());
  for (size_t i = 0; tensor.defined() && i < elements.size(); ++i) {
    const OpCaseElement<T> element = elements[i];
    StoreElement<T>(tensor.view().data, i, T(element));
  }
  return tensor;
}

// The elements as plain numbers.
template <typename T>
std::vector<OpCaseElement<T>> ElementsOf(const TensorView& view) {
  std::vector<OpCaseElement<T>> out;
  for (size_t i = 0; i < static_cast<size_t>(view.elems()); ++i) {
    out.push_back(static_cast<OpCaseElement<T>>(LoadElement<T>(view.data, i)));
  }
  return out;
}
template <typename T>
std::vector<OpCaseElement<T>> ElementsOf(const Value& value) {
  EXPECT_NE(value.tensor(), nullptr);
  if (value.tensor() == nullptr) return {};
  EXPECT_EQ(value.tensor()->dtype(), kDTypeOf<T>);
  if (value.tensor()->dtype() != kDTypeOf<T>) return {};
  return ElementsOf<T>(value.tensor()->view());
}

// Fails the test where the values differ in kind, type, shape or contents.
void ExpectSameValue(const Value& actual, const Value& expected, double rtol, double atol,
                     const std::string& what);

}  // namespace waybill::kernel
