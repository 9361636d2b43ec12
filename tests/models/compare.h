// How near an output must be to the recorded one.
#pragma once

#include <string>

#include "tensor/value/value.h"

namespace waybill::testing {

struct Tolerance {
  double noise = 0;  // largest difference between runs of the reference itself
  // When positive, the only bound on floats; the index of the largest must be equal too.
  double fixed = 0;
};

// Empty when `actual` is near enough to `expected`: |a-b| <= 1e-3 |b| + max(10 noise, 1e-5 largest
// |b|) for floats, 4e-3 of the largest |b| for half floats, equality for everything else. Else says
// what differs, where, by how much.
std::string Compare(const Value& expected, const Value& actual, const Tolerance& tolerance);

// Empty when both have the same type, shape and bits.
std::string CompareBits(const Value& expected, const Value& actual);

}  // namespace waybill::testing
