// Reading small constants element by element, wherever they lie.
#pragma once

#include <cstring>

#include "graph/ir/constant.h"
#include "kernel/api/kernel.h"

namespace waybill::cpu {

// Element i; any alignment. T is the constant's type.
template <typename T>
T ConstantAt(const graph::Constant& constant, size_t i) {
  T value;
  const size_t at = constant.is_splat() ? 0 : i;
  std::memcpy(&value, constant.tensor().view().data + at * sizeof(T), sizeof(T));
  return value;
}

// Element i of a constant of 8 or 32-bit integers.
inline int32_t IntegerAt(const graph::Constant& constant, size_t i) {
  if (constant.dtype() == DType::kU8) return ConstantAt<uint8_t>(constant, i);
  if (constant.dtype() == DType::kI8) return ConstantAt<int8_t>(constant, i);
  return ConstantAt<int32_t>(constant, i);
}

// Element i of a constant that may be one number for all.
template <typename T>
T SpreadAt(const graph::Constant& constant, size_t i) {
  return ConstantAt<T>(constant, constant.shape().elems() == 1 ? 0 : i);
}

inline bool IsByte(DType dtype) { return dtype == DType::kU8 || dtype == DType::kI8; }

// The input is a constant of one number, or of one for each of `lines`.
inline kernel::Acceptance AcceptsSpread(const graph::NodeRef& node, size_t input, DType dtype,
                                        int64_t lines, const char* name) {
  const graph::Constant* constant = node.constant(input);
  WB_REFUSE_IF(constant == nullptr, "{} is not constant", name);
  WB_REFUSE_IF(constant->dtype() != dtype, "{} is {}, not {}", name, DTypeName(constant->dtype()),
               DTypeName(dtype));
  const Shape& shape = constant->shape();
  WB_REFUSE_IF(shape.elems() != 1 && (shape.rank() != 1 || shape[0] != lines),
               "{} has shape {} for {} lines", name, shape, lines);
  return kernel::Acceptance::Yes();
}

// The input's type says that it has one element.
inline bool IsOneElement(const graph::NodeRef& node, size_t input) {
  const auto shape = node.input_type(input).shape.Concrete();
  return shape && shape->elems() == 1;
}

}  // namespace waybill::cpu
