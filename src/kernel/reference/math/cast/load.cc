#include "kernel/reference/math/cast/wide.h"
#include "kernel/reference/support/compute.h"
#include "tensor/dtype/packed.h"

namespace waybill::kernel::reference {

Wide WideOf(DType dtype) {
  if (IsFloatDType(dtype)) return Wide::kDouble;
  switch (dtype) {
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
    case DType::kU4:
    case DType::kU2:
    case DType::kBool:
      return Wide::kUnsigned;
    default:
      return Wide::kSigned;
  }
}

namespace {

template <typename W, typename Types>
Status Load(const TensorView& in, size_t first, std::span<W> values) {
  return DispatchDType(in.dtype, Types{}, [&]<typename T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<W>(static_cast<Compute<T>>(LoadElement<T>(in.data, first + i)));
    }
    return Status::Ok();
  });
}

}  // namespace

template <>
Status LoadWide(const TensorView& in, size_t first, std::span<double> values) {
  return Load<double, ConcatTypes<FloatTypes, Float8Types, TypeList<F4E2M1>>>(in, first, values);
}
template <>
Status LoadWide(const TensorView& in, size_t first, std::span<int64_t> values) {
  return Load<int64_t, ConcatTypes<SignedIntTypes, TypeList<I4, I2>>>(in, first, values);
}
template <>
Status LoadWide(const TensorView& in, size_t first, std::span<uint64_t> values) {
  return Load<uint64_t, ConcatTypes<UnsignedIntTypes, TypeList<bool, U4, U2>>>(in, first, values);
}

}  // namespace waybill::kernel::reference
