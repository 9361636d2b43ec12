// Values of a caller over the same bytes.
#pragma once

#include <span>

#include "tensor/value/value.h"

namespace waybill::exec {

// Whether one of `others` that is a tensor lies over bytes of the tensor, or of any tensor in the
// value.
bool LiesUnder(const TensorView& tensor, std::span<const Value> others);
bool LiesUnder(const Value& value, std::span<const Value> others);

}  // namespace waybill::exec
