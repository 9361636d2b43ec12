#include "kernel/reference/quant/number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/reference/support/compute.h"
#include "tensor/dtype/packed.h"

namespace waybill::kernel::reference {

namespace {

using NarrowInts = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, I4, U4, I2, U2>;
using NarrowFloats = ConcatTypes<TypeList<float, Half, BFloat16, F4E2M1>, Float8Types>;

template <typename T>
float ReadRealAs(const std::byte* data, size_t i) {
  return static_cast<float>(static_cast<Compute<T>>(LoadElement<T>(data, i)));
}

template <typename T>
int64_t ReadIntAs(const std::byte* data, size_t i) {
  return static_cast<int64_t>(static_cast<Compute<T>>(LoadElement<T>(data, i)));
}

template <typename T>
constexpr int64_t Lowest() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
  if constexpr (!std::is_integral_v<T>) return T::kMin;
}
template <typename T>
constexpr int64_t Highest() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
  if constexpr (!std::is_integral_v<T>) return T::kMax;
}

template <typename T>
void WriteRealAs(std::byte* data, size_t i, double value, bool saturate) {
  if constexpr (std::is_integral_v<T> || requires(T t) { t.ToInt(); }) {
    constexpr auto kLow = static_cast<double>(Lowest<T>()),
                   kHigh = static_cast<double>(Highest<T>());
    const double rounded = std::nearbyint(value);
    // NaN fails both comparisons and becomes the lowest value.
    const double kept = rounded >= kLow ? std::min(rounded, kHigh) : kLow;
    StoreElement<T>(data, i, static_cast<T>(static_cast<int64_t>(kept)));
  } else if constexpr (sizeof(T) == 1 && requires { T::FromDouble(0.0, true); }) {
    StoreElement<T>(data, i, T::FromDouble(value, saturate));
  } else {
    StoreElement<T>(data, i, static_cast<T>(value));
  }
}

}  // namespace

Result<ReadReal> RealReader(DType dtype) {
  ReadReal reader;
  WB_RETURN_IF_ERROR(
      DispatchDType(dtype, ConcatTypes<NarrowInts, NarrowFloats>{}, [&]<typename T>() {
        reader.read = ReadRealAs<T>;
        return Status::Ok();
      }));
  return reader;
}

Result<ReadInt> IntReader(DType dtype) {
  ReadInt reader;
  WB_RETURN_IF_ERROR(DispatchDType(dtype, NarrowInts{}, [&]<typename T>() {
    reader.read = ReadIntAs<T>;
    return Status::Ok();
  }));
  return reader;
}

Result<WriteReal> RealWriter(DType dtype) {
  WriteReal writer;
  WB_RETURN_IF_ERROR(
      DispatchDType(dtype, ConcatTypes<NarrowInts, NarrowFloats>{}, [&]<typename T>() {
        writer.write = WriteRealAs<T>;
        return Status::Ok();
      }));
  return writer;
}

}  // namespace waybill::kernel::reference
