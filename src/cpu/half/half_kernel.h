// f16 operators through f32 kernels: inputs are widened, the f32 kernel runs, outputs are rounded.
#pragma once

#include <memory>

#include "kernel/api/kernel.h"

namespace waybill::cpu {

// Whether some f32 kernel of this provider takes the node with f32 in place of f16.
kernel::Acceptance AcceptsAsFloat(const graph::NodeRef& node);
Result<std::unique_ptr<kernel::Kernel>> CreateAsFloat(const graph::NodeRef& node);

}  // namespace waybill::cpu
