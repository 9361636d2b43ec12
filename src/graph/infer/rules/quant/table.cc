#include "graph/infer/rules/quant/rules.h"

namespace waybill::graph::infer {

namespace {

constexpr InferRule kRules[] = {
    {"", "DequantizeLinear", InferDequantizeLinear},
    {"", "DynamicQuantizeLinear", InferDynamicQuantizeLinear},
    {"", "QuantizeLinear", InferQuantizeLinear},
};

}  // namespace

std::span<const InferRule> QuantRules() { return kRules; }

}  // namespace waybill::graph::infer
