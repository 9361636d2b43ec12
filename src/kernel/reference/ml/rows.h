// The numeric matrices that ai.onnx.ml operators take: [N, C], or [C] as one row.
#pragma once

#include <cstdint>

#include "tensor/dtype/types.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

struct RowsOf {
  int64_t rows = 0, columns = 0;
  explicit RowsOf(const Shape& shape) {
    const size_t rank = shape.rank();
    columns = rank == 0 ? 1 : rank == 1 ? shape[0] : shape.ElemsBetween(1, rank);
    rows = rank <= 1 ? 1 : shape[0];
  }
};

// Element `i` of a tensor of int32, int64, float, double or float16, as double.
inline double ReadNumber(const TensorView& t, int64_t i) {
  switch (t.dtype) {
    case DType::kF32:
      return static_cast<double>(t.as<const float>()[i]);
    case DType::kF64:
      return t.as<const double>()[i];
    case DType::kI64:
      return static_cast<double>(t.as<const int64_t>()[i]);
    case DType::kI32:
      return static_cast<double>(t.as<const int32_t>()[i]);
    case DType::kF16:
      return static_cast<double>(t.as<const Half>()[i]);
    default:
      return 0;
  }
}

}  // namespace waybill::kernel::reference
