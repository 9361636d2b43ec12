// Element type and shape objects.
#include <algorithm>

#include "base/math/checked.h"
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/dtype.h"
#include "capi/support/error.h"

namespace waybill::capi {

std::unique_ptr<OrtTensorTypeAndShapeInfo> MakeTensorInfo(DType dtype, const SymShape& shape) {
  auto info = std::make_unique<OrtTensorTypeAndShapeInfo>();
  info->type = ToOrtType(dtype);
  info->has_shape = shape.has_rank();
  if (shape.has_rank()) {
    for (const Dim& dim : shape.dims()) {
      info->dims.push_back(dim.value());
      info->symbols.push_back(dim.known() ? "" : dim.symbol());
    }
  }
  return info;
}

OrtStatus* CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = new OrtTensorTypeAndShapeInfo;
    return Status::Ok();
  });
}

void ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* input) { delete input; }

OrtStatus* SetTensorElementType(OrtTensorTypeAndShapeInfo* info, ONNXTensorElementDataType type) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    info->type = type;
    return Status::Ok();
  });
}

OrtStatus* SetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
                         size_t dim_count) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    if (dim_count != 0) WB_NOT_NULL(dim_values);
    for (size_t i = 0; i < dim_count; ++i) {
      if (dim_values[i] < -1) {
        return Error(Code::kInvalidArgument, "dimension {} is {}; -1 stands for unknown", i,
                     dim_values[i]);
      }
    }
    info->dims.assign(dim_values, dim_values + dim_count);
    info->symbols.assign(dim_count, std::string());
    info->has_shape = true;
    return Status::Ok();
  });
}

OrtStatus* SetSymbolicDimensions(OrtTensorTypeAndShapeInfo* info, const char* dim_params[],
                                 size_t dim_params_length) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    if (dim_params_length != 0) WB_NOT_NULL(dim_params);
    std::vector<std::string> symbols(info->dims.size());
    for (size_t i = 0; i < std::min(dim_params_length, symbols.size()); ++i) {
      if (dim_params[i] != nullptr) symbols[i] = dim_params[i];
    }
    info->symbols = std::move(symbols);
    return Status::Ok();
  });
}

OrtStatus* GetTensorElementType(const OrtTensorTypeAndShapeInfo* info,
                                ONNXTensorElementDataType* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    WB_NOT_NULL(out);
    *out = info->type;
    return Status::Ok();
  });
}

OrtStatus* GetDimensionsCount(const OrtTensorTypeAndShapeInfo* info, size_t* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    WB_NOT_NULL(out);
    *out = info->dims.size();
    return Status::Ok();
  });
}

OrtStatus* GetDimensions(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
                         size_t dim_values_length) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    if (dim_values_length != 0) WB_NOT_NULL(dim_values);
    std::copy_n(info->dims.begin(), std::min(dim_values_length, info->dims.size()), dim_values);
    return Status::Ok();
  });
}

OrtStatus* GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info, const char* dim_params[],
                                 size_t dim_params_length) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    if (dim_params_length != 0) WB_NOT_NULL(dim_params);
    for (size_t i = 0; i < std::min(dim_params_length, info->symbols.size()); ++i) {
      dim_params[i] = info->symbols[i].c_str();
    }
    return Status::Ok();
  });
}

OrtStatus* GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* info, size_t* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    WB_NOT_NULL(out);
    if (!info->has_shape) {
      *out = 0;
      return Status::Ok();
    }
    const std::optional<int64_t> elems = Shape(info->dims).CheckedElems();
    if (!elems) {
      return Error(Code::kFail, "the element count of shape {} is unknown or overflows",
                   info->dims);
    }
    *out = static_cast<size_t>(*elems);
    return Status::Ok();
  });
}

bool TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info) {
  return info != nullptr && info->has_shape;
}

}  // namespace waybill::capi
