// Implementation lists of the com.microsoft family; table.cc names the operators.
#pragma once

#include "kernel/api/function_kernel.h"

namespace waybill::kernel::reference {

extern const KernelImpl kFusedMatMul[1];              // fused_matmul.cc
extern const KernelImpl kMsMultiHeadAttention[1];     // multi_head_attention.cc
extern const KernelImpl kMsRotaryEmbedding[1];        // nn/rotary.cc
extern const KernelImpl kSkipLayerNorm[1];            // skip_norm.cc
extern const KernelImpl kSkipSimplifiedLayerNorm[1];  // skip_norm.cc

extern const KernelImpl kMsGelu[1];                 // gelu.cc: Gelu, BiasGelu
extern const KernelImpl kMsFastGelu[1];             // gelu.cc
extern const KernelImpl kMsQuickGelu[1];            // gelu.cc
extern const KernelImpl kMsFusedConv[1];            // fused_conv.cc
extern const KernelImpl kMatMulIntegerToFloat[1];   // integer_matmul.cc
extern const KernelImpl kDynamicQuantizeMatMul[1];  // integer_matmul.cc

}  // namespace waybill::kernel::reference
