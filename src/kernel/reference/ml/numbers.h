// Writing numbers into the types of ai.onnx.ml tensors.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/dtype/types.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// `v` towards zero as an integer of T; NaN is 0, values out of range become the nearest one.
template <typename T>
T Saturated(double v) {
  if (std::isnan(v)) return 0;
  if (v <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (v >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(v);
}

// Element `i` of a tensor of int16, int32, int64, float or double.
inline void WriteNumber(const TensorView& t, int64_t i, double v) {
  switch (t.dtype) {
    case DType::kF32:
      t.as<float>()[i] = static_cast<float>(v);
      break;
    case DType::kF64:
      t.as<double>()[i] = v;
      break;
    case DType::kI64:
      t.as<int64_t>()[i] = Saturated<int64_t>(v);
      break;
    case DType::kI32:
      t.as<int32_t>()[i] = Saturated<int32_t>(v);
      break;
    case DType::kI16:
      t.as<int16_t>()[i] = Saturated<int16_t>(v);
      break;
    default:
      break;
  }
}

}  // namespace waybill::kernel::reference
