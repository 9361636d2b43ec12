#include "graph/infer/context.h"

namespace waybill::graph::infer {

std::span<const InferRule> MathRules() { return {}; }

}  // namespace waybill::graph::infer
