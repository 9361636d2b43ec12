// MatMul of f16 with a constant right-hand matrix, which is packed as f32.
#pragma once

#include <memory>

#include "kernel/api/kernel.h"

namespace waybill::cpu {

kernel::Acceptance AcceptsHalfMatMul(const graph::NodeRef& node);
Result<std::unique_ptr<kernel::Kernel>> CreateHalfMatMul(const graph::NodeRef& node);

}  // namespace waybill::cpu
