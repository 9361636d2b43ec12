// Element types of the C interface and ours. The numbers differ for the three newest types.
#pragma once

#include <optional>

#include "onnxruntime_c_api.h"
#include "tensor/dtype/dtype.h"

namespace waybill::capi {

inline ONNXTensorElementDataType ToOrtType(DType dtype) {
  switch (dtype) {
    case DType::kF8E8M0:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0;
    case DType::kU2:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2;
    case DType::kI2:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2;
    default:
      return static_cast<ONNXTensorElementDataType>(dtype);
  }
}

// Nothing for UNDEFINED and for numbers that name no type.
inline std::optional<DType> FromOrtType(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0:
      return DType::kF8E8M0;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2:
      return DType::kU2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2:
      return DType::kI2;
    default:
      break;
  }
  const auto code = static_cast<int64_t>(type);
  if (!IsKnownDType(code)) return std::nullopt;
  return static_cast<DType>(code);
}

}  // namespace waybill::capi
