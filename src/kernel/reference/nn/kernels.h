// Implementation lists of the nn family, one per operator (or per group of sister operators that
// share one function); table.cc says which schema versions each serves.
#pragma once

#include "kernel/api/function_kernel.h"

namespace waybill::kernel::reference {

// matmul.cc
extern const KernelImpl kMatMul[1];
extern const KernelImpl kGemm[1];
// conv.cc, conv_transpose.cc, deform_conv.cc, col2im.cc
extern const KernelImpl kConv[1];
extern const KernelImpl kConvTranspose[1];
extern const KernelImpl kDeformConv[1];
extern const KernelImpl kCol2Im[1];
// pool.cc, global_pool.cc, unpool.cc, roi_pool.cc, roi_align.cc
extern const KernelImpl kMaxPool[1];
extern const KernelImpl kAveragePool[1];
extern const KernelImpl kLpPool[1];
extern const KernelImpl kGlobalAveragePool[1];
extern const KernelImpl kGlobalMaxPool[1];
extern const KernelImpl kGlobalLpPool[1];
extern const KernelImpl kMaxUnpool[1];
extern const KernelImpl kMaxRoiPool[1];
extern const KernelImpl kRoiAlign[1];
// batch_norm.cc, layer_norm.cc, channel_norm.cc, mean_variance_norm.cc, lrn.cc
extern const KernelImpl kBatchNormalization[1];
extern const KernelImpl kLayerNormalization[1];
extern const KernelImpl kRmsNormalization[1];
extern const KernelImpl kInstanceNormalization[1];
extern const KernelImpl kGroupNormalization[1];
extern const KernelImpl kMeanVarianceNormalization[1];
extern const KernelImpl kLrn[1];
extern const KernelImpl kLpNormalization[1];
// dropout.cc
extern const KernelImpl kDropout[1];
// rnn/
extern const KernelImpl kRnn[1];
extern const KernelImpl kGru[1];
extern const KernelImpl kLstm[1];
// resize/
extern const KernelImpl kResize[1];
extern const KernelImpl kUpsample[1];
// grid_sample.cc, affine_grid.cc
extern const KernelImpl kGridSample[1];
extern const KernelImpl kAffineGrid[1];
// attention.cc, rotary.cc
extern const KernelImpl kAttention[1];
extern const KernelImpl kRotaryEmbedding[1];
// loss.cc
extern const KernelImpl kNegativeLogLikelihoodLoss[1];
extern const KernelImpl kSoftmaxCrossEntropyLoss[1];
// nms.cc, depth_space.cc
extern const KernelImpl kNonMaxSuppression[1];
extern const KernelImpl kDepthToSpace[1];
extern const KernelImpl kSpaceToDepth[1];

}  // namespace waybill::kernel::reference
