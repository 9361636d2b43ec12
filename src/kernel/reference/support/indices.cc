#include "kernel/reference/support/indices.h"

namespace waybill::kernel::reference {

namespace {

Status CheckInts(const TensorView& ints, const char* what) {
  if (ints.dtype == DType::kI32 || ints.dtype == DType::kI64) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} must be int32 or int64, not {}", what, ints.Describe());
}

}  // namespace

IntList::IntList(const TensorView& ints) {
  if (ints.dtype == DType::kI64 && ints.data != nullptr) {
    in_place_ = ints.span<const int64_t>();
    return;
  }
  copy_ = Shape::Filled(static_cast<size_t>(ints.elems()), 0);
  for (size_t i = 0; i < copy_.rank(); ++i) copy_[i] = IntAt(ints, static_cast<int64_t>(i));
}

Result<IntList> ReadInts(const TensorView& ints, const char* what) {
  WB_RETURN_IF_ERROR(CheckInts(ints, what));
  if (ints.shape.rank() > 1) {
    return Error(Code::kInvalidArgument, "{} must have rank 1, not {}", what, ints.Describe());
  }
  return IntList(ints);
}

Result<int64_t> ReadInt(const TensorView& scalar, const char* what) {
  WB_RETURN_IF_ERROR(CheckInts(scalar, what));
  if (scalar.elems() != 1) {
    return Error(Code::kInvalidArgument, "{} must have one element, not {}", what,
                 scalar.Describe());
  }
  return IntAt(scalar, 0);
}

}  // namespace waybill::kernel::reference
