// From a DType known at run time to a C++ type: the caller names the set of types it handles.
#pragma once

#include <complex>
#include <string>

#include "base/status/status.h"
#include "tensor/dtype/dtype.h"
#include "tensor/dtype/types.h"

namespace waybill {

template <typename... Ts>
struct TypeList {
  // The list with more types at its end.
  template <typename... More>
  using With = TypeList<Ts..., More...>;
};

namespace dtype_internal {
template <typename... Lists>
struct Concat;
template <typename... Ts>
struct Concat<TypeList<Ts...>> {
  using Type = TypeList<Ts...>;
};
template <typename... As, typename... Bs, typename... Rest>
struct Concat<TypeList<As...>, TypeList<Bs...>, Rest...> {
  using Type = typename Concat<TypeList<As..., Bs...>, Rest...>::Type;
};
}  // namespace dtype_internal
template <typename... Lists>
using ConcatTypes = typename dtype_internal::Concat<Lists...>::Type;

using SignedIntTypes = TypeList<int8_t, int16_t, int32_t, int64_t>;
using UnsignedIntTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;
using IntTypes = ConcatTypes<SignedIntTypes, UnsignedIntTypes>;
using NativeFloatTypes = TypeList<float, double>;
using FloatTypes = TypeList<float, double, Half, BFloat16>;
using NumericTypes = ConcatTypes<IntTypes, FloatTypes>;
using ComplexTypes = TypeList<std::complex<float>, std::complex<double>>;
using Float8Types = TypeList<F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0>;
using PackedTypes = TypeList<I4, U4, I2, U2, F4E2M1>;
// Every type whose elements are addressable, strings last.
using UnpackedTypes =
    ConcatTypes<NumericTypes, TypeList<bool>, ComplexTypes, Float8Types, TypeList<std::string>>;

// Calls `fn.template operator()<T>()`, which returns a Status, for the T of the list that `dtype`
// stands for: DispatchDType(dtype, FloatTypes{}, [&]<typename T>() { ... return Status(); }).
// Errors: kNotImplemented naming the type when the list lacks it; else what `fn` returns.
template <typename... Ts, typename Fn>
Status DispatchDType(DType dtype, TypeList<Ts...>, Fn&& fn) {
  Status status;
  const bool found =
      ((kDTypeOf<Ts> == dtype ? (status = fn.template operator()<Ts>(), true) : false) || ...);
  if (found) return status;
  return Error(Code::kNotImplemented, "element type {} is not supported here", DTypeName(dtype));
}

// For data that is only moved: an unsigned type of the element's width, std::string for strings.
// Sub-byte types are refused like types that are not in a list.
template <typename Fn>
Status DispatchByWidth(DType dtype, Fn&& fn) {
  if (dtype == DType::kString) return fn.template operator()<std::string>();
  switch (DTypeBits(dtype)) {
    case 8:
      return fn.template operator()<uint8_t>();
    case 16:
      return fn.template operator()<uint16_t>();
    case 32:
      return fn.template operator()<uint32_t>();
    case 64:
      if (DTypeAlign(dtype) == 4) return fn.template operator()<std::complex<float>>();
      return fn.template operator()<uint64_t>();
    case 128:
      return fn.template operator()<std::complex<double>>();
    default:
      return Error(Code::kNotImplemented, "element type {} is not supported here",
                   DTypeName(dtype));
  }
}

}  // namespace waybill
