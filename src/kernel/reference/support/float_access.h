// Reads and writes one element of a float tensor of any width as a double: for parameters and
// other places where speed does not matter.
#pragma once

#include <cstdint>

#include "tensor/dtype/types.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// Element `i` of a tensor of float16, bfloat16, float or double; other types read as 0 (schemas
// keep them out).
inline double ReadFloat(const TensorView& t, int64_t i) {
  switch (t.dtype) {
    case DType::kF32:
      return static_cast<double>(t.as<const float>()[i]);
    case DType::kF64:
      return t.as<const double>()[i];
    case DType::kF16:
      return static_cast<double>(t.as<const Half>()[i]);
    case DType::kBF16:
      return static_cast<double>(t.as<const BFloat16>()[i]);
    default:
      return 0;
  }
}

inline void WriteFloat(const TensorView& t, int64_t i, double value) {
  switch (t.dtype) {
    case DType::kF32:
      t.as<float>()[i] = static_cast<float>(value);
      break;
    case DType::kF64:
      t.as<double>()[i] = value;
      break;
    case DType::kF16:
      t.as<Half>()[i] = Half(value);
      break;
    case DType::kBF16:
      t.as<BFloat16>()[i] = BFloat16(value);
      break;
    default:
      break;
  }
}

}  // namespace waybill::kernel::reference
