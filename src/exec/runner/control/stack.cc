#include "exec/runner/control/stack.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "exec/runner/control/control.h"

namespace waybill::exec {

namespace {

// Copies `count` runs of `bytes` bytes (or strings) between strided places.
void CopyRuns(DType dtype, const std::byte* from, size_t from_stride, std::byte* to,
              size_t to_stride, size_t bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* source = from + static_cast<size_t>(i) * from_stride;
    std::byte* target = to + static_cast<size_t>(i) * to_stride;
    if (dtype == DType::kString) {
      const auto* strings = reinterpret_cast<const std::string*>(source);
      std::copy_n(strings, bytes / sizeof(std::string), reinterpret_cast<std::string*>(target));
    } else if (bytes != 0) {
      std::memcpy(target, source, bytes);
    }
  }
}

Result<size_t> BytesOfRun(DType dtype, int64_t elems) {
  const size_t bits = DTypeBits(dtype) * static_cast<size_t>(elems);
  if (bits % 8 != 0) {
    return Error(Code::kNotImplemented, "scanning {} elements of {} that do not fill bytes", elems,
                 DTypeName(dtype));
  }
  return bits / 8;
}

// What is known of an item's shape when there is none; other dims are 0.
Shape ShapeWithoutItems(const graph::Value& item) {
  const SymShape& inferred = item.type.shape;
  const SymShape none;
  const SymShape& declared = item.declared != nullptr ? item.declared->shape : none;
  const bool fits =
      declared.has_rank() && (!inferred.has_rank() || declared.rank() == inferred.rank());
  Shape shape;
  const size_t rank = inferred.has_rank() ? inferred.rank() : fits ? declared.rank() : 0;
  for (size_t i = 0; i < rank; ++i) {
    const bool is_inferred = inferred.has_rank() && inferred[i].known();
    const Dim dim = is_inferred ? inferred[i] : fits ? declared[i] : Dim();
    shape.PushBack(dim.known() ? dim.value() : 0);
  }
  return shape;
}

}  // namespace

Status Stacker::Add(Value item) {
  const Tensor* tensor = item.tensor();
  if (tensor == nullptr) {
    return Error(Code::kInvalidArgument, "a scan output must be a tensor, not {}",
                 item.type().ToString());
  }
  if (!items_.empty()) {
    const Tensor& first = *items_[0].tensor();
    if (tensor->dtype() != first.dtype() || tensor->shape() != first.shape()) {
      return Error(Code::kInvalidArgument,
                   "a scan output is {} in iteration {} but {} in the first",
                   tensor->view().Describe(), items_.size(), first.view().Describe());
    }
  }
  items_.push_back(std::move(item));
  return Status::Ok();
}

Result<Value> Stacker::Stack(int64_t axis, bool reversed, const graph::Value& item,
                             const RunEnv& env) const {
  DType dtype = item.type.dtype;
  Shape item_shape;
  if (!items_.empty()) {
    dtype = items_[0].tensor()->dtype();
    item_shape = items_[0].tensor()->shape();
  } else {
    item_shape = ShapeWithoutItems(item);
  }
  const auto at = NormalizeAxis(axis, item_shape.rank() + 1);
  if (!at) {
    return Error(Code::kInvalidArgument, "scan output axis {} is out of range for rank {}", axis,
                 item_shape.rank() + 1);
  }
  Shape shape;
  for (size_t i = 0; i <= item_shape.rank(); ++i) {
    if (i == *at) shape.PushBack(static_cast<int64_t>(items_.size()));
    if (i < item_shape.rank()) shape.PushBack(item_shape[i]);
  }
  WB_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(dtype, shape, *env.dynamic, MemoryTag::kDynamic));
  const int64_t outer = item_shape.ElemsBetween(0, *at);
  WB_ASSIGN_OR_RETURN(const size_t run,
                      BytesOfRun(dtype, item_shape.ElemsBetween(*at, item_shape.rank())));
  const size_t count = items_.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t place = reversed ? count - 1 - i : i;
    CopyRuns(dtype, items_[i].tensor()->view().data, run, out.view().data + place * run,
             run * count, run, outer);
  }
  return Value(std::move(out));
}

Result<kernel::Slot> SliceAlong(const TensorView& tensor, size_t axis, int64_t index,
                                const RunEnv& env) {
  Shape shape;
  for (size_t i = 0; i < tensor.shape.rank(); ++i) {
    if (i != axis) shape.PushBack(tensor.shape[i]);
  }
  WB_ASSIGN_OR_RETURN(const size_t run, BytesOfRun(tensor.dtype, tensor.shape.Stride(axis)));
  const int64_t outer = tensor.shape.ElemsBetween(0, axis);
  const size_t stride = run * static_cast<size_t>(tensor.shape[axis]);
  const std::byte* from = tensor.data + static_cast<size_t>(index) * run;
  if (outer == 1) {
    kernel::Slot slot;
    slot.tensor = {tensor.dtype, std::move(shape), tensor.data + static_cast<size_t>(index) * run,
                   tensor.device};
    return slot;
  }
  WB_ASSIGN_OR_RETURN(Tensor copy,
                      Tensor::Allocate(tensor.dtype, shape, *env.dynamic, MemoryTag::kDynamic));
  CopyRuns(tensor.dtype, from, stride, copy.view().data, run, run, outer);
  return SlotOf(Value(std::move(copy)));
}

}  // namespace waybill::exec
