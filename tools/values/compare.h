// Whether two values are the same, and where they differ.
#pragma once

#include <optional>
#include <string>

#include "onnxruntime_cxx_api.h"

namespace waybill::tools {

// |got - want| <= relative * |want| + max(absolute, of_largest * largest |want| of the tensor).
// Integers, bools, strings and floats of 8 bits or less are compared exactly.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
  double of_largest = 1e-5;         // float and double
  double of_largest_half = 4e-3;    // float16
  double of_largest_bfloat = 2e-2;  // bfloat16
  bool top1 = false;                // the largest element of each row must be the same one
};

struct Difference {
  std::string reason;        // "3 of 1000 elements differ"; what kind of difference
  std::string where;         // "[2].values[0, 17]": the worst element
  std::string got, want;     // there
  double largest_error = 0;  // |got - want| there; 0 when it has no number
};

// Nothing when `got` passes for `want`.
std::optional<Difference> Compare(const Ort::Value& got, const Ort::Value& want,
                                  const Tolerance& tolerance);

// Equal in kind, type, shape and every bit.
bool BitEqual(const Ort::Value& a, const Ort::Value& b);

}  // namespace waybill::tools
