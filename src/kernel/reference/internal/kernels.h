// Kernels of the operators that rewrites make.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

extern const KernelImpl kElementwise[1];        // elementwise.cc
extern const KernelImpl kInternalLayerNorm[1];  // layer_norm.cc
extern const KernelImpl kInternalMatMul[1];     // matmul.cc
extern const KernelImpl kOneHotMatMul[1];       // one_hot_matmul.cc
// window_ops.cc
extern const KernelImpl kInternalConv[1];
extern const KernelImpl kInternalConvTranspose[1];
extern const KernelImpl kInternalMaxPool[1];
extern const KernelImpl kInternalAveragePool[1];
extern const KernelImpl kInternalLrn[1];
// quant_ops.cc
extern const KernelImpl kQLinearAdd[1];
extern const KernelImpl kQLinearGemm[1];
extern const KernelImpl kQLinearGlobalAveragePool[1];

}  // namespace waybill::kernel::reference
