// Comparison of values for programs that are no unit tests.
#pragma once

#include <string>

#include "tensor/value/value.h"

namespace waybill::test {

struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-7;
};

// Empty when `actual` is `expected`: same kinds, types and shapes; floating-point elements with
// |a - b| <= atol + rtol |b|, NaN equal to NaN, infinities in the same places; everything else
// exactly. Otherwise the first difference and how many there are.
std::string Difference(const Value& actual, const Value& expected, const Tolerance& tolerance);

}  // namespace waybill::test
