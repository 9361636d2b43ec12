// Looking inside an OrtValue.
#pragma once

#include "base/status/result.h"
#include "capi/handles.h"

namespace waybill::capi {

// A tensor over `p_data_len` bytes that `owner` keeps (null: the caller does). Errors:
// kInvalidArgument for a shape that is negative, too large or does not fit the bytes (both sizes
// are named) and for strings; kNotImplemented for an unknown type.
Result<Tensor> WrapBytes(void* p_data, size_t p_data_len, const int64_t* shape, size_t shape_len,
                         ONNXTensorElementDataType type, std::shared_ptr<const void> owner);

// The value's tensor. Errors: `code` when it holds something else.
Result<const Tensor*> TensorOf(const OrtValue* value, Code code);

}  // namespace waybill::capi
