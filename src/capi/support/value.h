// Looking inside an OrtValue.
#pragma once

#include "base/status/result.h"
#include "capi/handles.h"

namespace waybill::capi {

// Errors: kNotImplemented for a type that this library does not have.
Result<DType> ToDType(ONNXTensorElementDataType type);
// Errors: `negative_code` for a negative dimension.
Result<Shape> ToShape(const int64_t* shape, size_t shape_len, Code negative_code);
// A tensor in memory of `allocator`, which must outlive it; strings are in ours. Errors:
// kInvalidArgument for memory of another device and bad shapes; kOutOfMemory.
Result<Tensor> AllocateTensor(OrtAllocator* allocator, DType dtype, Shape shape);

// A tensor over `p_data_len` bytes that `owner` keeps (null: the caller does). Errors:
// kInvalidArgument for a shape that is negative, too large or does not fit the bytes (both sizes
// are named) and for strings; kNotImplemented for an unknown type.
Result<Tensor> WrapBytes(void* p_data, size_t p_data_len, const int64_t* shape, size_t shape_len,
                         ONNXTensorElementDataType type, std::shared_ptr<const void> owner);

// The value's tensor. Errors: `code` when it holds something else.
Result<const Tensor*> TensorOf(const OrtValue* value, Code code);

// The value as a sparse tensor. Errors: kFail when it holds something else.
Result<const SparseValue*> SparseOf(const OrtValue* value);

}  // namespace waybill::capi
