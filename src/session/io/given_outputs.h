// Outputs whose memory the caller gives.
#pragma once

#include <span>
#include <string_view>

#include "base/status/status.h"
#include "tensor/value/value.h"

namespace waybill::session {

// A run writes all elements of each defined tensor in `outputs`, so no two of them may share a
// byte, unless they are one output asked for twice. Those without elements share none. Takes
// nothing from the heap for up to 16 outputs. `several`, which may be null, is told whether there
// are two tensors or more. Errors: kInvalidArgument naming two that do, by their names in `names`.
Status CheckApart(std::span<const std::string_view> names, std::span<const Value> outputs,
                  bool* several = nullptr);

}  // namespace waybill::session
