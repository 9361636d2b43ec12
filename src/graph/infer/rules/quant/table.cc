#include "graph/infer/rules/quant/rules.h"

namespace waybill::graph::infer {

namespace {

constexpr InferRule kRules[] = {
    {"", "ConvInteger", InferConvInteger},
    {"", "DequantizeLinear", InferDequantizeLinear},
    {"", "DynamicQuantizeLinear", InferDynamicQuantizeLinear},
    {"", "MatMulInteger", InferMatMulInteger},
    {"", "QLinearConv", InferQLinearConv},
    {"", "QLinearMatMul", InferQLinearMatMul},
    {"", "QuantizeLinear", InferQuantizeLinear},
};

}  // namespace

std::span<const InferRule> QuantRules() { return kRules; }

}  // namespace waybill::graph::infer
