// Values: making tensors, looking at their bytes.
#include "capi/support/value.h"
#include "base/math/checked.h"
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/allocator.h"
#include "capi/support/dtype.h"
#include "capi/support/error.h"
#include "capi/support/text.h"

namespace waybill::capi {
Result<DType> ToDType(ONNXTensorElementDataType type) {
  const std::optional<DType> dtype = FromOrtType(type);
  if (!dtype) {
    return Error(Code::kNotImplemented, "tensor type {} is not supported", static_cast<int>(type));
  }
  return *dtype;
}

Result<Shape> ToShape(const int64_t* shape, size_t shape_len, Code negative_code) {
  if (shape_len != 0) WB_NOT_NULL(shape);
  for (size_t i = 0; i < shape_len; ++i) {
    if (shape[i] < 0) {
      return Error(negative_code, "tried creating tensor with negative value in shape");
    }
  }
  return Shape(std::span<const int64_t>(shape, shape_len));
}

Result<Tensor> AllocateTensor(OrtAllocator* allocator, DType dtype, Shape shape) {
  if (dtype == DType::kString || IsOurs(allocator)) {
    return Tensor::Allocate(dtype, std::move(shape), SourceOf(allocator), MemoryTag::kUser);
  }
  const OrtMemoryInfo* where = allocator->Info(allocator);
  if (where != nullptr && !where->host_accessible()) {
    return Error(Code::kInvalidArgument, "'{}' memory is not accessible to this build",
                 where->name);
  }
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(dtype, shape));
  WB_ASSIGN_OR_RETURN(void* block, AllocateFrom(allocator, bytes == 0 ? 1 : bytes));
  std::shared_ptr<const void> owner(
      block, [allocator](const void* p) { allocator->Free(allocator, const_cast<void*>(p)); });
  return Tensor::Wrap(
      dtype, std::move(shape),
      SharedView(std::move(owner), BufferView{static_cast<std::byte*>(block), bytes, {}}));
}

namespace {

bool HasNegative(std::span<const int64_t> dims) {
  for (const int64_t dim : dims) {
    if (dim < 0) return true;
  }
  return false;
}

// Why bytes are no tensor, or the empty tensor that they are.
Result<Tensor> WrapOther(void* p_data, size_t p_data_len, const int64_t* shape, size_t shape_len,
                         ONNXTensorElementDataType type, std::shared_ptr<const void> owner) {
  WB_ASSIGN_OR_RETURN(Shape dims, ToShape(shape, shape_len, Code::kInvalidArgument));
  WB_ASSIGN_OR_RETURN(const DType dtype, ToDType(type));
  WB_ASSIGN_OR_RETURN(const size_t needed, Tensor::BytesFor(dtype, dims));
  if (p_data_len < needed) {
    return Error(Code::kInvalidArgument, "not enough space: expected {}, got {}", needed,
                 p_data_len);
  }
  if (dtype == DType::kString) {
    return Error(Code::kInvalidArgument,
                 "a string tensor cannot be made over a buffer; use CreateTensorAsOrtValue");
  }
  if (needed != 0) WB_NOT_NULL(p_data);
  // An empty tensor still gets an address.
  static std::byte nothing[1];
  auto* data = p_data != nullptr ? static_cast<std::byte*>(p_data) : nothing;
  return Tensor::Wrap(dtype, std::move(dims),
                      SharedView(std::move(owner), BufferView{data, p_data_len, {}}));
}

}  // namespace

// Values are wrapped by the thousand, so nothing is moved from place to place on the way.
Result<Tensor> WrapBytes(void* p_data, size_t p_data_len, const int64_t* shape, size_t shape_len,
                         ONNXTensorElementDataType type, std::shared_ptr<const void> owner) {
  const std::optional<DType> dtype = FromOrtType(type);
  const std::span<const int64_t> dims(shape, shape != nullptr ? shape_len : 0);
  const bool good = p_data != nullptr && dtype.has_value() && *dtype != DType::kString &&
                    dims.size() == shape_len && !HasNegative(dims);
  Result<Tensor> tensor =
      good ? Tensor::Wrap(
                 *dtype, Shape(dims),
                 SharedView(owner, BufferView{static_cast<std::byte*>(p_data), p_data_len, {}}))
           : Result<Tensor>(Status(Code::kInvalidArgument, {}));
  if (!tensor.ok()) {
    tensor = WrapOther(p_data, p_data_len, shape, shape_len, type, std::move(owner));
  }
  return tensor;
}

Value Unwrap(Value value) {
  while (const OptionalValue* optional = value.optional()) {
    if (optional->value == nullptr) break;
    value = Value(*optional->value);
  }
  return value;
}

std::unique_ptr<OrtValue> MakeValue(Value value, const OrtMemoryInfo& memory) {
  return std::make_unique<OrtValue>(OrtValue{Unwrap(std::move(value)), memory});
}

Result<const Tensor*> TensorOf(const OrtValue* value, Code code) {
  WB_NOT_NULL(value);
  const Tensor* tensor = value->value.tensor();
  if (tensor == nullptr) {
    return Error(code, "the value is {}, not a tensor",
                 value->value.defined() ? value->value.type().TypeString() : "empty");
  }
  return tensor;
}

OrtStatus* CreateTensorAsOrtValue(OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                                  ONNXTensorElementDataType type, OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const DType dtype, ToDType(type));
    WB_ASSIGN_OR_RETURN(Shape dims, ToShape(shape, shape_len, Code::kFail));
    WB_ASSIGN_OR_RETURN(Tensor tensor, AllocateTensor(allocator, dtype, std::move(dims)));
    const OrtMemoryInfo* where = allocator->Info(allocator);
    *out = MakeValue(std::move(tensor), where != nullptr ? *where : CpuMemory()).release();
    return Status::Ok();
  });
}

OrtStatus* CreateTensorWithDataAsOrtValue(const OrtMemoryInfo* info, void* p_data,
                                          size_t p_data_len, const int64_t* shape, size_t shape_len,
                                          ONNXTensorElementDataType type, OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    WB_NOT_NULL(out);
    if (!info->host_accessible()) {
      return Error(Code::kInvalidArgument, "'{}' memory is not accessible to this build",
                   info->name);
    }
    Result<Tensor> tensor = WrapBytes(p_data, p_data_len, shape, shape_len, type, nullptr);
    if (!tensor.ok()) return std::move(tensor).status();
    *out = new OrtValue{Value(std::move(tensor).value()), *info};
    return Status::Ok();
  });
}

OrtStatus* CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator* deleter, void* p_data,
                                                    size_t p_data_len, const int64_t* shape,
                                                    size_t shape_len,
                                                    ONNXTensorElementDataType type,
                                                    OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(deleter);
    WB_NOT_NULL(out);
    // On an error the bytes stay the caller's.
    auto armed = std::make_shared<bool>(false);
    std::shared_ptr<const void> owner(p_data, [deleter, armed](const void* p) {
      if (*armed && p != nullptr) deleter->Free(deleter, const_cast<void*>(p));
    });
    WB_ASSIGN_OR_RETURN(Tensor tensor,
                        WrapBytes(p_data, p_data_len, shape, shape_len, type, std::move(owner)));
    *out = MakeValue(std::move(tensor)).release();
    *armed = true;
    return Status::Ok();
  });
}

void ReleaseValue(OrtValue* input) { delete input; }

OrtStatus* IsTensor(const OrtValue* value, int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    *out = value->value.kind() == ValueKind::kTensor ? 1 : 0;
    return Status::Ok();
  });
}

OrtStatus* IsSparseTensor(const OrtValue* value, int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    *out = value->value.kind() == ValueKind::kSparse ? 1 : 0;
    return Status::Ok();
  });
}

OrtStatus* HasValue(const OrtValue* value, int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    const OptionalValue* optional = value->value.optional();
    *out = value->value.defined() && (optional == nullptr || optional->value != nullptr) ? 1 : 0;
    return Status::Ok();
  });
}

OrtStatus* GetTensorMutableData(OrtValue* value, void** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value, Code::kInternal));
    *out = tensor->view().data;
    return Status::Ok();
  });
}

OrtStatus* GetTensorData(const OrtValue* value, const void** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value, Code::kInternal));
    *out = tensor->view().data;
    return Status::Ok();
  });
}

OrtStatus* TensorAt(OrtValue* value, const int64_t* location_values, size_t location_values_count,
                    void** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value, Code::kInvalidArgument));
    const size_t bits = DTypeBits(tensor->dtype());
    if (tensor->dtype() == DType::kString || bits % 8 != 0) {
      return Error(Code::kInvalidArgument, "this API does not support {} tensors",
                   DTypeName(tensor->dtype()));
    }
    const Shape& shape = tensor->shape();
    if (location_values_count != shape.rank()) {
      return Error(Code::kInvalidArgument, "location dimensions do not match shape size");
    }
    if (location_values_count != 0) WB_NOT_NULL(location_values);
    int64_t offset = 0;
    for (size_t i = 0; i < shape.rank(); ++i) {
      if (location_values[i] < 0 || location_values[i] >= shape[i]) {
        return Error(Code::kInvalidArgument, "invalid location range");
      }
      offset = offset * shape[i] + location_values[i];
    }
    if (shape.elems() == 0) return Error(Code::kInvalidArgument, "invalid location range");
    *out = tensor->view().data + static_cast<size_t>(offset) * (bits / 8);
    return Status::Ok();
  });
}

OrtStatus* GetTensorMemoryInfo(const OrtValue* value, const OrtMemoryInfo** mem_info) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(mem_info);
    if (value->value.kind() != ValueKind::kTensor && value->value.kind() != ValueKind::kSparse) {
      return Error(Code::kFail, "Only OrtValues with tensor values have memory information");
    }
    *mem_info = &value->memory;
    return Status::Ok();
  });
}

OrtStatus* GetTensorSizeInBytes(const OrtValue* ort_value, size_t* size) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(size);
    WB_ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(ort_value, Code::kInvalidArgument));
    if (tensor->dtype() == DType::kString) {
      return Error(Code::kInvalidArgument, "String tensors are not supported by this API");
    }
    *size = tensor->view().bytes();
    return Status::Ok();
  });
}

OrtStatus* GetTensorElementTypeAndShapeDataReference(const OrtValue* value,
                                                     ONNXTensorElementDataType* elem_type,
                                                     const int64_t** shape_data,
                                                     size_t* shape_data_count) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(elem_type);
    WB_NOT_NULL(shape_data);
    WB_NOT_NULL(shape_data_count);
    WB_ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value, Code::kInvalidArgument));
    *elem_type = ToOrtType(tensor->dtype());
    const std::span<const int64_t> dims = tensor->shape().dims();
    *shape_data = dims.empty() ? nullptr : dims.data();
    *shape_data_count = dims.size();
    return Status::Ok();
  });
}

}  // namespace waybill::capi
