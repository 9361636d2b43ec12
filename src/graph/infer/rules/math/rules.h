// Inference rules of the math family that are not one of the common ones of context.h.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

// Two broadcast operands; before opset 7 with the attributes `axis` and `broadcast`.
Status InferBinary(InferContext& ctx);
// As InferBinary; the first one is named by what it does to known contents.
Status InferAdd(InferContext& ctx);
Status InferSub(InferContext& ctx);
Status InferMul(InferContext& ctx);
Status InferDiv(InferContext& ctx);
Status InferMod(InferContext& ctx);
Status InferEqual(InferContext& ctx);
Status InferLess(InferContext& ctx);
Status InferGreater(InferContext& ctx);
Status InferAnd(InferContext& ctx);
Status InferOr(InferContext& ctx);
// Any number of broadcast operands.
Status InferMin(InferContext& ctx);
Status InferMax(InferContext& ctx);
Status InferWhere(InferContext& ctx);
// One operand, contents pass through unchanged.
Status InferSameContents(InferContext& ctx);
Status InferNeg(InferContext& ctx);
Status InferNot(InferContext& ctx);
Status InferPRelu(InferContext& ctx);

Status InferCast(InferContext& ctx);
Status InferCastLike(InferContext& ctx);
Status InferBitCast(InferContext& ctx);
Status InferRange(InferContext& ctx);
Status InferCumulative(InferContext& ctx);
Status InferSoftmax(InferContext& ctx);

// Reductions over axes from an attribute or input 1.
Status InferReduce(InferContext& ctx);
Status InferReduceSum(InferContext& ctx);
Status InferReduceProd(InferContext& ctx);
Status InferReduceMax(InferContext& ctx);
Status InferReduceMin(InferContext& ctx);
Status InferArg(InferContext& ctx);

Status InferRandom(InferContext& ctx);      // shape from an attribute
Status InferRandomLike(InferContext& ctx);  // shape of input 0, type from `dtype` or input 0
Status InferMultinomial(InferContext& ctx);
Status InferWindow(InferContext& ctx);
Status InferMelWeightMatrix(InferContext& ctx);
Status InferDft(InferContext& ctx);
Status InferStft(InferContext& ctx);
Status InferDet(InferContext& ctx);
Status InferEinsum(InferContext& ctx);

Status InferAdagrad(InferContext& ctx);  // Momentum too
Status InferAdam(InferContext& ctx);

}  // namespace waybill::graph::infer
