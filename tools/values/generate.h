// Values made up for inputs that nobody gave.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxruntime_cxx_api.h"

namespace waybill::tools {

// A tensor of `shape` whose contents follow from `seed` alone: floats of every width in [0, 1),
// rounded to their type, complex numbers made of two of them, 8-bit unsigned integers over their
// range, other integers 0 or 1 (so that they are valid as indices, masks and lengths), bools
// either, strings "text-N".
Ort::Value Generate(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                    uint64_t seed);

}  // namespace waybill::tools
