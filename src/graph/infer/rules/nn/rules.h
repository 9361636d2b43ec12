// Inference rules of the nn family.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

// The shape of numpy.matmul(a, b).
Result<SymShape> MatMulShape(const SymShape& a, const SymShape& b);

// matmul.cc
Status InferMatMul(InferContext& ctx);
Status InferGemm(InferContext& ctx);
// conv.cc
Status InferConv(InferContext& ctx);
Status InferConvTranspose(InferContext& ctx);
Status InferCol2Im(InferContext& ctx);
// pool.cc
Status InferPool(InferContext& ctx);
Status InferGlobalPool(InferContext& ctx);
Status InferMaxUnpool(InferContext& ctx);
Status InferMaxRoiPool(InferContext& ctx);
Status InferRoiAlign(InferContext& ctx);
// norm.cc
Status InferBatchNormalization(InferContext& ctx);
Status InferLayerNormalization(InferContext& ctx);
Status InferChannelNormalization(InferContext& ctx);  // Instance-, GroupNormalization, LRN
Status InferDropout(InferContext& ctx);
// rnn.cc: RNN, GRU and LSTM
Status InferRecurrent(InferContext& ctx);
// resize.cc
Status InferResize(InferContext& ctx);
Status InferUpsample(InferContext& ctx);
// grid.cc
Status InferGridSample(InferContext& ctx);
Status InferAffineGrid(InferContext& ctx);
// attention.cc
Status InferAttention(InferContext& ctx);
// loss.cc
Status InferNegativeLogLikelihoodLoss(InferContext& ctx);
Status InferSoftmaxCrossEntropyLoss(InferContext& ctx);
// vision.cc
Status InferNonMaxSuppression(InferContext& ctx);
Status InferDepthToSpace(InferContext& ctx);
Status InferSpaceToDepth(InferContext& ctx);

}  // namespace waybill::graph::infer
