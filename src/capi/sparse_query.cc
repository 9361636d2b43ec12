// Looking into sparse tensors.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/value.h"

namespace waybill::capi {

Result<const SparseValue*> SparseOf(const OrtValue* value) {
  WB_NOT_NULL(value);
  if (const SparseValue* sparse = value->value.sparse()) return sparse;
  return Error(Code::kFail, "the value is {}, not a sparse tensor",
               value->value.defined() ? value->value.type().TypeString() : "empty");
}

namespace {

Result<const Tensor*> ValuesOf(const OrtValue* value) {
  WB_ASSIGN_OR_RETURN(const SparseValue* sparse, SparseOf(value));
  const bool waiting = value->sparse != nullptr && value->sparse->values.defined();
  return waiting ? &value->sparse->values : &sparse->values;
}

OrtSparseFormat FormatOf(const OrtValue& value) {
  return value.sparse != nullptr ? value.sparse->format : ORT_SPARSE_COO;
}

Result<const Tensor*> IndicesOf(const OrtValue* value, OrtSparseIndicesFormat wanted) {
  WB_ASSIGN_OR_RETURN(const SparseValue* sparse, SparseOf(value));
  const OrtSparseFormat format = FormatOf(*value);
  if (format == ORT_SPARSE_COO && wanted == ORT_SPARSE_COO_INDICES) return &sparse->indices;
  if (format == ORT_SPARSE_CSRC) {
    if (wanted == ORT_SPARSE_CSR_INNER_INDICES) return &value->sparse->inner;
    if (wanted == ORT_SPARSE_CSR_OUTER_INDICES) return &value->sparse->outer;
  }
  return Error(Code::kInvalidArgument, "the sparse tensor of format {} has no indices of format {}",
               static_cast<int>(format), static_cast<int>(wanted));
}

}  // namespace

OrtStatus* GetSparseTensorFormat(const OrtValue* ort_value, OrtSparseFormat* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_RETURN_IF_ERROR(SparseOf(ort_value).status());
    *out = FormatOf(*ort_value);
    return Status::Ok();
  });
}

OrtStatus* GetSparseTensorValuesTypeAndShape(const OrtValue* ort_value,
                                             OrtTensorTypeAndShapeInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const Tensor* values, ValuesOf(ort_value));
    *out = MakeTensorInfo(values->dtype(), SymShape(values->shape())).release();
    return Status::Ok();
  });
}

OrtStatus* GetSparseTensorValues(const OrtValue* ort_value, const void** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const Tensor* values, ValuesOf(ort_value));
    if (values->dtype() == DType::kString) {
      return Error(Code::kInvalidArgument, "String tensors are not supported by this API");
    }
    *out = values->view().data;
    return Status::Ok();
  });
}

OrtStatus* GetSparseTensorIndicesTypeShape(const OrtValue* ort_value,
                                           OrtSparseIndicesFormat indices_format,
                                           OrtTensorTypeAndShapeInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const Tensor* indices, IndicesOf(ort_value, indices_format));
    *out = MakeTensorInfo(indices->dtype(), SymShape(indices->shape())).release();
    return Status::Ok();
  });
}

OrtStatus* GetSparseTensorIndices(const OrtValue* ort_value, OrtSparseIndicesFormat indices_format,
                                  size_t* num_indices, const void** indices) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(num_indices);
    WB_NOT_NULL(indices);
    WB_ASSIGN_OR_RETURN(const Tensor* tensor, IndicesOf(ort_value, indices_format));
    *num_indices = static_cast<size_t>(tensor->view().elems());
    *indices = tensor->view().data;
    return Status::Ok();
  });
}

}  // namespace waybill::capi
