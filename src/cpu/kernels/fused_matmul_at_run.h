// The internal MatMul with a matrix that is not packed at load: one that only runs know, or a
// constant that stays as it is.
#pragma once

#include <memory>

#include "kernel/api/kernel.h"

namespace waybill::cpu {

// Where all inputs are f32.
kernel::Acceptance AcceptsFusedAtRun(const graph::NodeRef& node);
// Errors: kInvalidArgument for a wrong `expr`.
Result<std::unique_ptr<kernel::Kernel>> CreateFusedAtRun(const graph::NodeRef& node);

}  // namespace waybill::cpu
