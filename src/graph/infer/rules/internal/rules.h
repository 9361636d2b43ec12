// Inference rules of the operators that rewrites make.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

// channels_last.cc: the ONNX operator of the name on [N, spatial..., C], where the node says so; an
// expression behind it changes neither type nor shape.
Status InferInternalConv(InferContext& ctx);
Status InferInternalConvTranspose(InferContext& ctx);
Status InferInternalPool(InferContext& ctx);
Status InferInternalLrn(InferContext& ctx);

// quant.cc: operators on quantized tensors that ONNX has not, or not on channels last.
Status InferInternalQLinearConv(InferContext& ctx);
Status InferQLinearGemm(InferContext& ctx);
Status InferQLinearAdd(InferContext& ctx);
Status InferQLinearGlobalAveragePool(InferContext& ctx);

}  // namespace waybill::graph::infer
