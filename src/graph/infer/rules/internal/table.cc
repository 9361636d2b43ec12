#include "graph/infer/rules/internal/rules.h"

namespace waybill::graph::infer {

namespace {

// The broadcast of all operands.
Status InferElementwise(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, SymShape());
  return BroadcastAll(ctx);
}

constexpr InferRule kRules[] = {
    {kInternalDomain, "AveragePool", InferInternalPool},
    {kInternalDomain, "Conv", InferInternalConv},
    {kInternalDomain, "ConvTranspose", InferInternalConvTranspose},
    {kInternalDomain, "Elementwise", InferElementwise},
    {kInternalDomain, "LRN", InferInternalLrn},
    {kInternalDomain, "MaxPool", InferInternalPool},
};

}  // namespace

std::span<const InferRule> InternalRules() { return kRules; }

}  // namespace waybill::graph::infer
