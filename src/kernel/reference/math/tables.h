// The parts of the math family's kernel table; each stands at the end of the file that is named
// after it.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

KernelTable ActivationKernels();
KernelTable ArgExtremeKernels();
KernelTable ArithmeticKernels();
KernelTable CastKernels();
KernelTable ClipKernels();
KernelTable CompareKernels();
KernelTable CumulativeKernels();
KernelTable DetKernels();
KernelTable DftKernels();
KernelTable EinsumKernels();
KernelTable LogicKernels();
KernelTable MelKernels();
KernelTable ModKernels();
KernelTable OptimizerKernels();
KernelTable PowKernels();
KernelTable PReluKernels();
KernelTable RandomKernels();
KernelTable RangeKernels();
KernelTable ReduceKernels();
KernelTable SoftmaxKernels();
KernelTable StftKernels();
KernelTable UnaryKernels();
KernelTable VariadicKernels();
KernelTable WhereKernels();
KernelTable WindowKernels();

}  // namespace waybill::kernel::reference
