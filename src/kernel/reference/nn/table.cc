#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

namespace {

constexpr int kAny = 1 << 30;

const OpKernels kTable[] = {
    {"", "MatMul", 1, kAny, kMatMul},
    {"", "Gemm", 1, kAny, kGemm},
    {"", "Conv", 1, kAny, kConv},
    {"", "ConvTranspose", 1, kAny, kConvTranspose},
    {"", "MaxPool", 1, kAny, kMaxPool},
    {"", "AveragePool", 1, kAny, kAveragePool},
    {"", "LpPool", 1, kAny, kLpPool},
    {"", "GlobalAveragePool", 1, kAny, kGlobalAveragePool},
    {"", "GlobalMaxPool", 1, kAny, kGlobalMaxPool},
    {"", "GlobalLpPool", 1, kAny, kGlobalLpPool},
    {"", "BatchNormalization", 1, kAny, kBatchNormalization},
    {"", "LayerNormalization", 1, kAny, kLayerNormalization},
    {"", "SimplifiedLayerNormalization", 1, kAny, kRmsNormalization},
    {"", "RMSNormalization", 1, kAny, kRmsNormalization},
    {"", "InstanceNormalization", 1, kAny, kInstanceNormalization},
    {"", "GroupNormalization", 1, kAny, kGroupNormalization},
    {"", "LRN", 1, kAny, kLrn},
    {"", "Dropout", 1, kAny, kDropout},
    {"", "RNN", 1, kAny, kRnn},
    {"", "GRU", 1, kAny, kGru},
    {"", "LSTM", 1, kAny, kLstm},
    {"", "Resize", 1, kAny, kResize},
    {"", "Upsample", 1, kAny, kUpsample},
    {"", "DeformConv", 19, kAny, kDeformConv},
    {"", "Col2Im", 18, kAny, kCol2Im},
    {"", "MaxUnpool", 9, kAny, kMaxUnpool},
    {"", "MaxRoiPool", 1, kAny, kMaxRoiPool},
    {"", "RoiAlign", 10, kAny, kRoiAlign},
    {"", "MeanVarianceNormalization", 9, kAny, kMeanVarianceNormalization},
    {"", "LpNormalization", 1, kAny, kLpNormalization},
    {"", "GridSample", 16, kAny, kGridSample},
    {"", "AffineGrid", 20, kAny, kAffineGrid},
    {"", "Attention", 23, kAny, kAttention},
    {"", "RotaryEmbedding", 23, kAny, kRotaryEmbedding},
    {"", "NegativeLogLikelihoodLoss", 12, kAny, kNegativeLogLikelihoodLoss},
    {"", "SoftmaxCrossEntropyLoss", 12, kAny, kSoftmaxCrossEntropyLoss},
    {"", "NonMaxSuppression", 10, kAny, kNonMaxSuppression},
    {"", "DepthToSpace", 1, kAny, kDepthToSpace},
    {"", "SpaceToDepth", 1, kAny, kSpaceToDepth},
};

}  // namespace

KernelTable NnKernels() { return kTable; }

}  // namespace waybill::kernel::reference
