#include "kernel/reference/math/cast/text.h"
#include "kernel/reference/math/cast/wide.h"
#include "kernel/reference/support/compute.h"
#include "kernel/reference/support/cut_float.h"
#include "tensor/dtype/packed.h"

namespace waybill::kernel::reference {

namespace {

using StoreTypes = ConcatTypes<NumericTypes, TypeList<bool>, Float8Types, PackedTypes>;

template <typename T, typename W>
T Convert(W value, const CastRounding& rounding) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<T, F8E8M0>) {
    return T::FromFloat(static_cast<float>(value), rounding.e8m0_round, rounding.saturate);
  } else if constexpr (requires { T::FromDouble(0.0, true); } && sizeof(T) == 1) {
    return T::FromDouble(static_cast<double>(value), rounding.saturate);
  } else if constexpr (std::is_same_v<W, double> && std::is_integral_v<T>) {
    // x86's conversion of float to 8 and 16 bit integers goes through 32 bits.
    if constexpr (sizeof(T) < 4) return static_cast<T>(CutFloat<int32_t>(value));
    return CutFloat<T>(value);
  } else if constexpr (std::is_same_v<W, double> && requires(T t) { t.ToInt(); }) {
    return T(CutFloat<int32_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename W>
std::string Text(W value, DType source) {
  if constexpr (std::is_same_v<W, double>) {
    return source == DType::kF64 ? FloatText(value) : FloatText(static_cast<float>(value));
  } else {
    return Format("{}", value);
  }
}

template <typename W>
Status Store(std::span<const W> values, DType source, const CastRounding& rounding,
             const TensorView& out, size_t first) {
  if (out.dtype == DType::kString) {
    for (size_t i = 0; i < values.size(); ++i) {
      out.as<std::string>()[first + i] = Text(values[i], source);
    }
    return Status::Ok();
  }
  return DispatchDType(out.dtype, StoreTypes{}, [&]<typename T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      StoreElement<T>(out.data, first + i, Convert<T>(values[i], rounding));
    }
    return Status::Ok();
  });
}

}  // namespace

template <>
Status StoreWide(std::span<const double> values, DType source, const CastRounding& rounding,
                 const TensorView& out, size_t first) {
  return Store(values, source, rounding, out, first);
}
template <>
Status StoreWide(std::span<const int64_t> values, DType source, const CastRounding& rounding,
                 const TensorView& out, size_t first) {
  return Store(values, source, rounding, out, first);
}
template <>
Status StoreWide(std::span<const uint64_t> values, DType source, const CastRounding& rounding,
                 const TensorView& out, size_t first) {
  return Store(values, source, rounding, out, first);
}

}  // namespace waybill::kernel::reference
