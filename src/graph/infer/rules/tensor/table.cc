#include "graph/infer/context.h"

namespace waybill::graph::infer {

std::span<const InferRule> TensorRules() { return {}; }

}  // namespace waybill::graph::infer
