// Pow: the base's type is the result's; the exponent's type is its own.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

// Integer powers wrap. A negative exponent gives the inverse cut to an integer: 0 unless the base
// is 1 or -1.
template <typename T>
T IntegerPower(T base, uint64_t exponent, bool negative) {
  if (negative && base != T(1) && WrapAdd(base, T(1)) != T(0)) return 0;
  T result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = WrapMul(result, base);
    base = WrapMul(base, base);
  }
  return result;
}

template <typename T>
T ToIntegerAtItsRange(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
    return std::numeric_limits<T>::min();
  }
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
    return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

template <typename T, typename E>
T Power(T base, E exponent) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<E>) {
    if constexpr (std::is_signed_v<E>) {
      if (exponent < 0) {
        return IntegerPower(base, uint64_t{0} - static_cast<uint64_t>(exponent), true);
      }
    }
    return IntegerPower(base, static_cast<uint64_t>(exponent), false);
  } else if constexpr (std::is_integral_v<T>) {
    return ToIntegerAtItsRange<T>(
        std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  } else {
    return std::pow(base, static_cast<T>(exponent));
  }
}

Status RefuseInverseOfZero(const TensorView& base, const TensorView& exponent) {
  if (!IsIntDType(base.dtype) || !IsIntDType(exponent.dtype)) return Status::Ok();
  bool zero = false, negative = false;
  WB_RETURN_IF_ERROR(DispatchDType(base.dtype, IntTypes{}, [&]<typename T>() {
    for (const T value : base.span<T>()) zero = zero || value == 0;
    return Status::Ok();
  }));
  WB_RETURN_IF_ERROR(DispatchDType(exponent.dtype, IntTypes{}, [&]<typename T>() {
    if constexpr (std::is_signed_v<T>) {
      for (const T value : exponent.span<T>()) negative = negative || value < 0;
    }
    return Status::Ok();
  }));
  if (zero && negative) {
    return Error(Code::kInvalidArgument, "integer zero to a negative power");
  }
  return Status::Ok();
}

// Element `i` of the exponent as Wide: double, or int64_t (larger ones at its limit).
template <typename Wide>
using LoadFn = Wide (*)(const TensorView& view, int64_t i);

template <typename E, typename Wide>
Wide LoadAs(const TensorView& view, int64_t i) {
  const auto value = static_cast<Compute<E>>(view.as<E>()[i]);
  if constexpr (std::is_same_v<E, uint64_t> && std::is_same_v<Wide, int64_t>) {
    return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
  }
  return static_cast<Wide>(value);
}

// For an exponent of another type than the base.
template <typename T, typename Wide, typename Types>
Status PowMixed(const TensorView& base, const TensorView& exponent, const Shape& exponent_shape,
                const TensorView& out) {
  LoadFn<Wide> load = nullptr;
  WB_RETURN_IF_ERROR(DispatchDType(exponent.dtype, Types{}, [&]<typename E>() {
    load = LoadAs<E, Wide>;
    return Status::Ok();
  }));
  ForEachBroadcast(
      out.shape,
      [&](int64_t i, int64_t ib, int64_t ie) {
        out.as<T>()[i] =
            static_cast<T>(Power(static_cast<Compute<T>>(base.as<T>()[ib]), load(exponent, ie)));
      },
      base.shape, exponent_shape);
  return Status::Ok();
}

Status RunPow(const LegacyBroadcast& legacy, RunContext& ctx) {
  const TensorView &base = ctx.input(0), &exponent = ctx.input(1), &out = ctx.output(0);
  if (out.elems() > 0) WB_RETURN_IF_ERROR(RefuseInverseOfZero(base, exponent));
  const Shape exponent_shape = legacy.Second(base.shape, exponent.shape);
  return DispatchDType(base.dtype, NumericTypes{}, [&]<typename T>() {
    if (exponent.dtype == base.dtype) {
      MapBroadcast<T, T, T>(base, base.shape, exponent, exponent_shape, out,
                            [](auto x, auto y) { return Power(x, y); });
      return Status::Ok();
    }
    if (IsIntDType(exponent.dtype)) {
      return PowMixed<T, int64_t, IntTypes>(base, exponent, exponent_shape, out);
    }
    return PowMixed<T, double, FloatTypes>(base, exponent, exponent_shape, out);
  });
}

constexpr KernelImpl kPow[] = {
    FunctionImpl<LegacyBroadcast, ParseLegacyBroadcast, RunPow, PlanBroadcast>("pow.reference")};

constexpr OpKernels kTable[] = {{.op_type = "Pow", .impls = kPow}};

}  // namespace

KernelTable PowKernels() { return kTable; }

}  // namespace waybill::kernel::reference
