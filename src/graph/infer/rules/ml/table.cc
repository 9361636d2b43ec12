#include "graph/infer/context.h"

namespace waybill::graph::infer {

std::span<const InferRule> MlRules() { return {}; }

}  // namespace waybill::graph::infer
