// In which type reference kernels compute, and integer arithmetic that wraps instead of
// overflowing.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tensor/dtype/dispatch.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

namespace compute_internal {
template <typename T>
struct Of {
  using Type = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
};
template <int kBits, bool kSigned>
struct Of<MiniInt<kBits, kSigned>> {
  using Type = int;
};
template <typename T>
struct Of<std::complex<T>> {
  using Type = std::complex<T>;
};
template <>
struct Of<std::string> {
  using Type = std::string;
};
}  // namespace compute_internal

// Small floats compute as float, 2 and 4 bit integers as int, all others as themselves.
template <typename T>
using Compute = typename compute_internal::Of<T>::Type;

// Accumulators of sums and products: double for every float type, 64 bits of the same sign for
// integers. Narrowing a wrapped 64-bit sum gives the sum wrapped at the narrower width.
template <typename T>
using Accumulator =
    std::conditional_t<std::is_integral_v<Compute<T>>,
                       std::conditional_t<std::is_signed_v<Compute<T>>, int64_t, uint64_t>, double>;

// a + b, a - b, a * b of one type, modulo 2^bits for integers.
template <typename T>
constexpr T WrapAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <typename T>
constexpr T WrapSub(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return a - b;
  }
}
template <typename T>
constexpr T WrapMul(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// out[i] = fn(in[i]) for all elements; both have equally many. `in` and `out` may be one buffer.
template <typename In, typename Out, typename Fn>
void MapElements(const TensorView& in, const TensorView& out, Fn fn) {
  const In* src = in.as<In>();
  Out* dst = out.as<Out>();
  const int64_t count = out.elems();
  for (int64_t i = 0; i < count; ++i) {
    dst[i] = static_cast<Out>(fn(static_cast<Compute<In>>(src[i])));
  }
}

}  // namespace waybill::kernel::reference
