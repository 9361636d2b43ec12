// How the scatter operators combine an update with the element that is there.
#pragma once

#include <string>
#include <type_traits>

#include "base/status/result.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

enum class Reduction { kNone, kAdd, kMul, kMin, kMax };

inline Result<Reduction> ParseReduction(const std::string& name) {
  if (name == "none") return Reduction::kNone;
  if (name == "add") return Reduction::kAdd;
  if (name == "mul") return Reduction::kMul;
  if (name == "min") return Reduction::kMin;
  if (name == "max") return Reduction::kMax;
  return Error(Code::kInvalidArgument, "there is no reduction \"{}\"", name);
}

using ReducibleTypes = NumericTypes::With<bool>;

// Integers wrap; NaN wins over every number; bool adds as "or" and multiplies as "and".
template <typename T>
T Reduce(Reduction reduction, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return reduction == Reduction::kAdd || reduction == Reduction::kMax ? a || b : a && b;
  } else if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (reduction == Reduction::kAdd) return static_cast<T>(x + y);
    if (reduction == Reduction::kMul) return static_cast<T>(x * y);
    return (reduction == Reduction::kMin) == (b < a) ? b : a;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (reduction == Reduction::kAdd) return a + b;
    if (reduction == Reduction::kMul) return a * b;
    if (a != a) return a;
    if (b != b) return b;
    return (reduction == Reduction::kMin) == (b < a) ? b : a;
  } else {
    return T(Reduce(reduction, static_cast<float>(a), static_cast<float>(b)));
  }
}

}  // namespace waybill::kernel::reference
