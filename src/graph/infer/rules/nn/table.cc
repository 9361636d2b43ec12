#include "graph/infer/context.h"
#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

constexpr InferRule kRules[] = {
    {"", "MatMul", InferMatMul},
    {"", "Gemm", InferGemm},
    {"", "Conv", InferConv},
    {"", "ConvTranspose", InferConvTranspose},
    {"", "MaxPool", InferPool},
    {"", "AveragePool", InferPool},
    {"", "LpPool", InferPool},
    {"", "GlobalAveragePool", InferGlobalPool},
    {"", "GlobalMaxPool", InferGlobalPool},
    {"", "GlobalLpPool", InferGlobalPool},
    {"", "BatchNormalization", InferBatchNormalization},
    {"", "LayerNormalization", InferLayerNormalization},
    {"", "SimplifiedLayerNormalization", InferLayerNormalization},
    {"", "RMSNormalization", InferLayerNormalization},
    {"", "InstanceNormalization", InferChannelNormalization},
    {"", "GroupNormalization", InferChannelNormalization},
    {"", "LRN", InferChannelNormalization},
    {"", "Dropout", InferDropout},
    {"", "RNN", InferRecurrent},
    {"", "GRU", InferRecurrent},
    {"", "LSTM", InferRecurrent},
    {"", "Resize", InferResize},
    {"", "Upsample", InferUpsample},
    {"", "DeformConv", InferConv},
    {"", "Col2Im", InferCol2Im},
    {"", "MaxUnpool", InferMaxUnpool},
    {"", "MaxRoiPool", InferMaxRoiPool},
    {"", "RoiAlign", InferRoiAlign},
    {"", "MeanVarianceNormalization", SameShapeAsFirst},
    {"", "LpNormalization", SameShapeAsFirst},
    {"", "GridSample", InferGridSample},
    {"", "AffineGrid", InferAffineGrid},
    {"", "Attention", InferAttention},
    {"", "RotaryEmbedding", SameShapeAsFirst},
    {"", "NegativeLogLikelihoodLoss", InferNegativeLogLikelihoodLoss},
    {"", "SoftmaxCrossEntropyLoss", InferSoftmaxCrossEntropyLoss},
    {"", "NonMaxSuppression", InferNonMaxSuppression},
    {"", "DepthToSpace", InferDepthToSpace},
    {"", "SpaceToDepth", InferSpaceToDepth},
};

}  // namespace

std::span<const InferRule> NnRules() { return kRules; }

}  // namespace waybill::graph::infer
