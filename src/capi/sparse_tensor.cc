// Sparse tensors: coordinates (COO) and compressed rows (CSR). Sessions see coordinates; what the
// caller gave for rows is kept beside them for whoever asks.
#include <algorithm>
#include <cstring>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/dtype.h"
#include "capi/support/error.h"
#include "capi/support/value.h"

namespace waybill::capi {
namespace {

using Int64s = std::span<const int64_t>;

Result<Shape> DenseShape(const int64_t* dims, size_t rank) {
  WB_ASSIGN_OR_RETURN(Shape shape, ToShape(dims, rank, Code::kInvalidArgument));
  if (shape.rank() == 0 || !shape.CheckedElems()) {
    return Error(Code::kInvalidArgument, "{} is no dense shape of a sparse tensor", shape);
  }
  return shape;
}

// A sparse tensor of nothing, whose values and indices are to come.
Result<std::unique_ptr<OrtValue>> Unfilled(Shape dense, DType dtype, const OrtMemoryInfo& memory,
                                           OrtSparseForm form) {
  WB_ASSIGN_OR_RETURN(Tensor values,
                      Tensor::Allocate(dtype, Shape({0}), CpuSource(), MemoryTag::kUser));
  WB_ASSIGN_OR_RETURN(Tensor indices,
                      Tensor::Allocate(DType::kI64, Shape({0}), CpuSource(), MemoryTag::kUser));
  auto value =
      MakeValue(SparseValue{std::move(dense), std::move(values), std::move(indices)}, memory);
  value->sparse = std::make_shared<const OrtSparseForm>(std::move(form));
  return value;
}

Status CheckUnfilled(const OrtValue& value, bool has_values) {
  if (value.sparse == nullptr || value.sparse->format != ORT_SPARSE_UNDEFINED) {
    return Error(Code::kFail, "the sparse tensor has its indices already");
  }
  if (value.sparse->values.defined() == has_values) return Status::Ok();
  return has_values
             ? Error(Code::kFail, "the sparse tensor has no values to index; fill it")
             : Error(Code::kFail, "the sparse tensor is over the caller's values; use indices");
}

Result<int64_t> CountOf(const Shape& values) {
  if (values.rank() == 1) return values[0];
  return Error(Code::kInvalidArgument, "values of shape {} are no list", values);
}

Status CheckRange(Int64s indices, size_t stride, size_t first, int64_t limit) {
  for (size_t i = first; i < indices.size(); i += stride) {
    if (indices[i] >= 0 && indices[i] < limit) continue;
    return Error(Code::kInvalidArgument, "index {} is {}, out of [0, {})", i, indices[i], limit);
  }
  return Status::Ok();
}

// The shape of `indices`: linear or one row of coordinates per value.
Result<Shape> CooShape(const Shape& dense, int64_t count, Int64s indices) {
  const auto rank = static_cast<int64_t>(dense.rank());
  const auto given = static_cast<int64_t>(indices.size());
  if (given == count) {
    WB_RETURN_IF_ERROR(CheckRange(indices, 1, 0, dense.elems()));
    return Shape({count});
  }
  if (given / rank != count || given % rank != 0) {
    return Error(Code::kInvalidArgument, "{} indices for {} values of a tensor {}: {} or {} fit",
                 given, count, dense, count, Format("{} x {}", count, rank));
  }
  for (size_t d = 0; d < dense.rank(); ++d) {
    WB_RETURN_IF_ERROR(CheckRange(indices, dense.rank(), d, dense[d]));
  }
  return Shape({count, rank});
}

Status CheckCsr(const Shape& dense, int64_t count, Int64s inner, Int64s outer) {
  if (dense.rank() != 2) {
    return Error(Code::kInvalidArgument, "a tensor {} has no rows to compress", dense);
  }
  if (static_cast<int64_t>(inner.size()) != count ||
      (count != 0 && static_cast<int64_t>(outer.size()) - 1 != dense[0])) {
    return Error(Code::kInvalidArgument, "{} inner and {} outer indices for {} values of {} rows",
                 inner.size(), outer.size(), count, dense[0]);
  }
  WB_RETURN_IF_ERROR(CheckRange(inner, 1, 0, dense[1]));
  if (!outer.empty() && (outer.front() != 0 || outer.back() != count ||
                         !std::is_sorted(outer.begin(), outer.end()))) {
    return Error(Code::kInvalidArgument, "outer indices do not go from 0 to {}", count);
  }
  return Status::Ok();
}

Result<Tensor> CoordinatesOfRows(int64_t count, Int64s inner, Int64s outer) {
  WB_ASSIGN_OR_RETURN(
      Tensor out, Tensor::Allocate(DType::kI64, Shape({count, 2}), CpuSource(), MemoryTag::kUser));
  int64_t* at = out.view().as<int64_t>();
  for (size_t row = 0; row + 1 < outer.size(); ++row) {
    for (int64_t i = outer[row]; i < outer[row + 1]; ++i) {
      *at++ = static_cast<int64_t>(row);
      *at++ = inner[static_cast<size_t>(i)];
    }
  }
  return out;
}

// The caller's numbers, copied to `allocator` or used where they lie when there is none.
Result<Tensor> TakeInts(Int64s numbers, Shape shape, OrtAllocator* allocator) {
  auto* bytes = reinterpret_cast<std::byte*>(const_cast<int64_t*>(numbers.data()));
  if (allocator == nullptr) {
    return Tensor::Wrap(DType::kI64, std::move(shape),
                        SharedView::Unowned({bytes, numbers.size_bytes(), {}}));
  }
  WB_ASSIGN_OR_RETURN(Tensor copy, AllocateTensor(allocator, DType::kI64, std::move(shape)));
  if (!numbers.empty()) std::memcpy(copy.view().data, bytes, numbers.size_bytes());
  return copy;
}

Result<Tensor> CopyValues(OrtAllocator* allocator, DType dtype, const Shape& shape,
                          const void* values) {
  WB_ASSIGN_OR_RETURN(Tensor copy, AllocateTensor(allocator, dtype, shape));
  const size_t bytes = copy.view().bytes();
  if (bytes != 0) WB_NOT_NULL(values);
  if (dtype == DType::kString) {
    const auto* texts = static_cast<const char* const*>(values);
    for (std::string& text : copy.span<std::string>()) {
      WB_NOT_NULL(*texts);
      text = *texts++;
    }
  } else if (bytes != 0) {
    std::memcpy(copy.view().data, values, bytes);
  }
  return copy;
}

// `allocator` null: indices are used in place.
Status SetCoo(OrtValue& value, Tensor values, Int64s indices, OrtAllocator* allocator) {
  const Shape dense = value.value.sparse()->dense_shape;
  WB_ASSIGN_OR_RETURN(const int64_t count, CountOf(values.shape()));
  WB_ASSIGN_OR_RETURN(Shape shape, CooShape(dense, count, indices));
  WB_ASSIGN_OR_RETURN(Tensor taken, TakeInts(indices, std::move(shape), allocator));
  value.value = Value(SparseValue{dense, std::move(values), std::move(taken)});
  value.sparse = nullptr;
  return Status::Ok();
}

Status SetCsr(OrtValue& value, Tensor values, Int64s inner, Int64s outer, OrtAllocator* allocator) {
  const Shape dense = value.value.sparse()->dense_shape;
  WB_ASSIGN_OR_RETURN(const int64_t count, CountOf(values.shape()));
  WB_RETURN_IF_ERROR(CheckCsr(dense, count, inner, outer));
  WB_ASSIGN_OR_RETURN(Tensor coordinates, CoordinatesOfRows(count, inner, outer));
  OrtSparseForm form;
  form.format = ORT_SPARSE_CSRC;
  const auto outer_count = static_cast<int64_t>(outer.size());
  WB_ASSIGN_OR_RETURN(form.inner, TakeInts(inner, Shape({count}), allocator));
  WB_ASSIGN_OR_RETURN(form.outer, TakeInts(outer, Shape({outer_count}), allocator));
  value.value = Value(SparseValue{dense, std::move(values), std::move(coordinates)});
  value.sparse = std::make_shared<const OrtSparseForm>(std::move(form));
  return Status::Ok();
}

// Checks what both ways of filling have in common and copies the values.
Result<Tensor> FillValues(OrtValue* value, const OrtMemoryInfo* where, const int64_t* shape,
                          size_t rank, const void* values) {
  WB_ASSIGN_OR_RETURN(const SparseValue* sparse, SparseOf(value));
  WB_NOT_NULL(where);
  if (!where->host_accessible()) {
    return Error(Code::kInvalidArgument, "'{}' memory is not accessible to this build",
                 where->name);
  }
  WB_RETURN_IF_ERROR(CheckUnfilled(*value, false));
  WB_ASSIGN_OR_RETURN(const Shape dims, ToShape(shape, rank, Code::kInvalidArgument));
  return CopyValues(value->sparse->allocator, sparse->values.dtype(), dims, values);
}

Result<Int64s> Ints(const int64_t* data, size_t count) {
  if (count != 0) WB_NOT_NULL(data);
  return Int64s(data, count);
}

}  // namespace

OrtStatus* CreateSparseTensorAsOrtValue(OrtAllocator* allocator, const int64_t* dense_shape,
                                        size_t dense_shape_len, ONNXTensorElementDataType type,
                                        OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const DType dtype, ToDType(type));
    WB_ASSIGN_OR_RETURN(Shape dense, DenseShape(dense_shape, dense_shape_len));
    OrtSparseForm form;
    form.allocator = allocator;
    const OrtMemoryInfo* where = allocator->Info(allocator);
    WB_ASSIGN_OR_RETURN(auto value,
                        Unfilled(std::move(dense), dtype, where != nullptr ? *where : CpuMemory(),
                                 std::move(form)));
    *out = value.release();
    return Status::Ok();
  });
}

OrtStatus* CreateSparseTensorWithValuesAsOrtValue(const OrtMemoryInfo* info, void* p_data,
                                                  const int64_t* dense_shape,
                                                  size_t dense_shape_len,
                                                  const int64_t* values_shape,
                                                  size_t values_shape_len,
                                                  ONNXTensorElementDataType type, OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info);
    WB_NOT_NULL(out);
    if (!info->host_accessible()) {
      return Error(Code::kInvalidArgument, "'{}' memory is not accessible to this build",
                   info->name);
    }
    WB_ASSIGN_OR_RETURN(Shape dense, DenseShape(dense_shape, dense_shape_len));
    // The interface tells no length: as long as the shape says.
    WB_ASSIGN_OR_RETURN(const DType dtype, ToDType(type));
    WB_ASSIGN_OR_RETURN(Shape dims,
                        ToShape(values_shape, values_shape_len, Code::kInvalidArgument));
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(dtype, dims));
    OrtSparseForm form;
    WB_ASSIGN_OR_RETURN(form.values,
                        WrapBytes(p_data, bytes, values_shape, values_shape_len, type, nullptr));
    WB_ASSIGN_OR_RETURN(auto value, Unfilled(std::move(dense), dtype, *info, std::move(form)));
    *out = value.release();
    return Status::Ok();
  });
}

OrtStatus* FillSparseTensorCoo(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                               const int64_t* values_shape, size_t values_shape_len,
                               const void* values, const int64_t* indices_data,
                               size_t indices_num) {
  return Guard([&]() -> Status {
    WB_ASSIGN_OR_RETURN(const Int64s indices, Ints(indices_data, indices_num));
    WB_ASSIGN_OR_RETURN(
        Tensor copy, FillValues(ort_value, data_mem_info, values_shape, values_shape_len, values));
    return SetCoo(*ort_value, std::move(copy), indices, ort_value->sparse->allocator);
  });
}

OrtStatus* FillSparseTensorCsr(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                               const int64_t* values_shape, size_t values_shape_len,
                               const void* values, const int64_t* inner_indices_data,
                               size_t inner_indices_num, const int64_t* outer_indices_data,
                               size_t outer_indices_num) {
  return Guard([&]() -> Status {
    WB_ASSIGN_OR_RETURN(const Int64s inner, Ints(inner_indices_data, inner_indices_num));
    WB_ASSIGN_OR_RETURN(const Int64s outer, Ints(outer_indices_data, outer_indices_num));
    WB_ASSIGN_OR_RETURN(
        Tensor copy, FillValues(ort_value, data_mem_info, values_shape, values_shape_len, values));
    return SetCsr(*ort_value, std::move(copy), inner, outer, ort_value->sparse->allocator);
  });
}

OrtStatus* UseCooIndices(OrtValue* ort_value, int64_t* indices_data, size_t indices_num) {
  return Guard([&]() -> Status {
    WB_RETURN_IF_ERROR(SparseOf(ort_value).status());
    WB_RETURN_IF_ERROR(CheckUnfilled(*ort_value, true));
    WB_ASSIGN_OR_RETURN(const Int64s indices, Ints(indices_data, indices_num));
    return SetCoo(*ort_value, ort_value->sparse->values, indices, nullptr);
  });
}

OrtStatus* UseCsrIndices(OrtValue* ort_value, int64_t* inner_data, size_t inner_num,
                         int64_t* outer_data, size_t outer_num) {
  return Guard([&]() -> Status {
    WB_RETURN_IF_ERROR(SparseOf(ort_value).status());
    WB_RETURN_IF_ERROR(CheckUnfilled(*ort_value, true));
    WB_ASSIGN_OR_RETURN(const Int64s inner, Ints(inner_data, inner_num));
    WB_ASSIGN_OR_RETURN(const Int64s outer, Ints(outer_data, outer_num));
    return SetCsr(*ort_value, ort_value->sparse->values, inner, outer, nullptr);
  });
}

}  // namespace waybill::capi
