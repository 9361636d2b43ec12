#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

// Conv with an activation behind it: the activation changes neither type nor shape.
Status InferFusedConv(InferContext& ctx) {
  ctx.SetTensor(0, ctx.input_dtype(0), SymShape());
  return InferConv(ctx);
}

// The broadcast of all operands.
Status InferElementwise(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, SymShape());
  return BroadcastAll(ctx);
}

constexpr InferRule kRules[] = {{kInternalDomain, "Elementwise", InferElementwise},
                                {kInternalDomain, "FusedConv", InferFusedConv}};

}  // namespace

std::span<const InferRule> InternalRules() { return kRules; }

}  // namespace waybill::graph::infer
