// Arithmetic on dimensions that may not be known yet. Known operands whose result is no int64 are
// an error (kInvalidArgument) that names them: no tensor can be so large.
#pragma once

#include "tensor/shape/symbolic.h"

#include "base/status/result.h"

namespace waybill::graph::infer {

// Known when both are, or when one is 0.
Result<Dim> AddDims(const Dim& a, const Dim& b);
// Known when both are, or when one is 0.
Result<Dim> MulDims(const Dim& a, const Dim& b);
// Of dims [first, last).
Result<Dim> ProductOf(const SymShape& shape, size_t first, size_t last);

}  // namespace waybill::graph::infer
