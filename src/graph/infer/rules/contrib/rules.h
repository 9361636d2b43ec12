// Inference rules of the com.microsoft family.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

Status InferFusedMatMul(InferContext& ctx);           // matmul.cc
Status InferIntegerMatMul(InferContext& ctx);         // matmul.cc
Status InferMsFusedConv(InferContext& ctx);           // matmul.cc
Status InferMsMultiHeadAttention(InferContext& ctx);  // attention.cc
Status InferSkipNormalization(InferContext& ctx);     // norm.cc

}  // namespace waybill::graph::infer
