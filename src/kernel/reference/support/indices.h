// Reading of index and size inputs (int32 or int64), with the checks that every value from a caller
// needs before it becomes an offset.
#pragma once

#include <cstdint>
#include <span>

#include "base/status/result.h"
#include "tensor/shape/shape.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// Element `i` of an int32 or int64 tensor.
inline int64_t IntAt(const TensorView& ints, int64_t i) {
  return ints.dtype == DType::kI32 ? ints.as<int32_t>()[i] : ints.as<int64_t>()[i];
}

// The elements of an int32 or int64 tensor as a list: int64 in place, int32 as a copy (no heap up
// to Shape::kInlineRank of them). The tensor outlives it.
class IntList {
 public:
  explicit IntList(const TensorView& ints);
  std::span<const int64_t> values() const {
    return in_place_.data() != nullptr ? in_place_ : copy_.dims();
  }

 private:
  std::span<const int64_t> in_place_;
  Shape copy_;
};

// Errors: kInvalidArgument for another type or a rank above 1, naming `what`.
Result<IntList> ReadInts(const TensorView& ints, const char* what);

// The only element of an int32 or int64 tensor. Errors: kInvalidArgument naming `what`.
Result<int64_t> ReadInt(const TensorView& scalar, const char* what);

// `index` in [-bound, bound) as one in [0, bound).
// Errors: kInvalidArgument naming index, bound and axis.
inline Result<int64_t> CheckIndex(int64_t index, int64_t bound, size_t axis) {
  if (index < -bound || index >= bound) {
    return Error(Code::kInvalidArgument, "index {} is out of range [{}, {}) of axis {}", index,
                 -bound, bound, axis);
  }
  return index < 0 ? index + bound : index;
}

}  // namespace waybill::kernel::reference
