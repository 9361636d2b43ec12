// What a case is made of.
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {

template <typename T>
OpCase& OpCase::In(const Shape& shape, const std::vector<OpCaseElement<T>>& elements) {
  return InValue(MakeCaseTensor<T>(shape, elements));
}

template <typename T>
OpCase& OpCase::Expect(const Shape& shape, const std::vector<OpCaseElement<T>>& elements) {
  return ExpectValue(MakeCaseTensor<T>(shape, elements));
}

#define WB_CASE_ELEMENT(T)                                                            \
  template OpCase& OpCase::In<T>(const Shape&, const std::vector<OpCaseElement<T>>&); \
  template OpCase& OpCase::Expect<T>(const Shape&, const std::vector<OpCaseElement<T>>&);
#define WB_CASE_ELEMENTS(A, B, C, D) \
  WB_CASE_ELEMENT(A) WB_CASE_ELEMENT(B) WB_CASE_ELEMENT(C) WB_CASE_ELEMENT(D)
WB_CASE_ELEMENTS(int8_t, int16_t, int32_t, int64_t)
WB_CASE_ELEMENTS(uint8_t, uint16_t, uint32_t, uint64_t)
WB_CASE_ELEMENTS(float, double, Half, BFloat16)
WB_CASE_ELEMENTS(F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ)
WB_CASE_ELEMENTS(I4, U4, I2, U2)
WB_CASE_ELEMENTS(bool, std::string, std::complex<float>, std::complex<double>)
WB_CASE_ELEMENT(F8E8M0)
WB_CASE_ELEMENT(F4E2M1)
#undef WB_CASE_ELEMENTS
#undef WB_CASE_ELEMENT

OpCase& OpCase::InValue(Value value) {
  inputs_.push_back(std::move(value));
  return *this;
}

OpCase& OpCase::Omit() { return InValue(Value()); }

OpCase& OpCase::Constant() {
  constants_.push_back(inputs_.size() - 1);
  return *this;
}

OpCase& OpCase::Ints(std::string name, std::vector<int64_t> values) {
  return Attr(std::move(name), std::move(values));
}

OpCase& OpCase::Floats(std::string name, std::vector<float> values) {
  return Attr(std::move(name), std::move(values));
}

OpCase& OpCase::ExpectValue(Value value) {
  output_types_.push_back(value.type());
  expected_.push_back(std::move(value));
  return *this;
}

OpCase& OpCase::Out(ValueType type) {
  output_types_.push_back(std::move(type));
  expected_.emplace_back();
  return *this;
}

OpCase& OpCase::Out(DType dtype) { return Out(ValueType::Tensor(dtype)); }

OpCase& OpCase::NoOut() { return Out(ValueType()); }

void OpCase::Set(std::string name, graph::AttributeValue value) {
  attrs_.Set(std::move(name), std::move(value));
}

void OpCase::Set(std::string name, int64_t value) {
  Set(std::move(name), graph::AttributeValue(value));
}

void OpCase::Set(std::string name, float value) {
  Set(std::move(name), graph::AttributeValue(value));
}

void OpCase::Set(std::string name, std::string value) {
  Set(std::move(name), graph::AttributeValue(std::move(value)));
}

void OpCase::Set(std::string name, std::vector<int64_t> value) {
  Set(std::move(name), graph::AttributeValue(std::move(value)));
}

void OpCase::Set(std::string name, std::vector<float> value) {
  Set(std::move(name), graph::AttributeValue(std::move(value)));
}

void OpCase::Set(std::string name, std::vector<std::string> value) {
  Set(std::move(name), graph::AttributeValue(std::move(value)));
}

}  // namespace waybill::kernel
