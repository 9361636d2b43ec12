// The parts of the quant family's kernel table.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

KernelTable DequantizeKernels();
KernelTable DynamicQuantizeKernels();
KernelTable IntegerConvKernels();
KernelTable IntegerMatMulKernels();
KernelTable QuantizeKernels();

}  // namespace waybill::kernel::reference
