#include "graph/infer/context.h"
#include "graph/infer/rules/contrib/rules.h"

namespace waybill::graph::infer {

namespace {

Status SameTypeAndShapeAsFirst(InferContext& ctx) {
  ctx.SetTensor(0, ctx.input_dtype(0), ctx.input_shape(0));
  return Status::Ok();
}

constexpr std::string_view kMicrosoft = "com.microsoft";

constexpr InferRule kRules[] = {
    {kMicrosoft, "FusedMatMul", InferFusedMatMul},
    {kMicrosoft, "MultiHeadAttention", InferMsMultiHeadAttention},
    {kMicrosoft, "RotaryEmbedding", SameTypeAndShapeAsFirst},
    {kMicrosoft, "SkipLayerNormalization", InferSkipNormalization},
    {kMicrosoft, "SkipSimplifiedLayerNormalization", InferSkipNormalization},
    {kMicrosoft, "Gelu", SameTypeAndShapeAsFirst},
    {kMicrosoft, "BiasGelu", SameTypeAndShapeAsFirst},
    {kMicrosoft, "FastGelu", SameTypeAndShapeAsFirst},
    {kMicrosoft, "QuickGelu", SameTypeAndShapeAsFirst},
    {kMicrosoft, "FusedConv", InferMsFusedConv},
    {kMicrosoft, "MatMulIntegerToFloat", InferIntegerMatMul},
    {kMicrosoft, "DynamicQuantizeMatMul", InferIntegerMatMul},
};

}  // namespace

std::span<const InferRule> ContribRules() { return kRules; }

}  // namespace waybill::graph::infer
