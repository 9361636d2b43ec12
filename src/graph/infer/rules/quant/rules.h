// Inference rules of the quant family.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

Status InferQuantizeLinear(InferContext& ctx);
Status InferDequantizeLinear(InferContext& ctx);
Status InferDynamicQuantizeLinear(InferContext& ctx);
Status InferMatMulInteger(InferContext& ctx);
Status InferQLinearMatMul(InferContext& ctx);
Status InferConvInteger(InferContext& ctx);
Status InferQLinearConv(InferContext& ctx);

}  // namespace waybill::graph::infer
