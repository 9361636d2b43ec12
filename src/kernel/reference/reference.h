// The slow, obvious kernels that define what is right. Tables by family; each family has a folder.
#pragma once

#include <vector>

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

KernelTable MathKernels();      // elementwise, compare, logic, reduce, cast, random
KernelTable NnKernels();        // conv, pool, norm, matmul, recurrent, attention
KernelTable TensorKernels();    // shape, layout, index, sequence, optional, string
KernelTable QuantKernels();     // quantize, integer matmul / conv
KernelTable MlKernels();        // ai.onnx.ml
KernelTable ContribKernels();   // com.microsoft
KernelTable InternalKernels();  // fused operators of rewrites

// All of the above.
std::vector<KernelTable> AllTables();

}  // namespace waybill::kernel::reference
