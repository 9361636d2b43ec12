// Kernels of the operators that rewrites make.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

extern const KernelImpl kElementwise[1];
extern const KernelImpl kFusedConv[1];

}  // namespace waybill::kernel::reference
