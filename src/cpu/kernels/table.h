// The CPU provider's fast kernels. They go before the reference kernels in a provider's tables.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::cpu {

kernel::KernelTable Kernels();

}  // namespace waybill::cpu
