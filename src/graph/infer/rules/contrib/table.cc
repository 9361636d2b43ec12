#include "graph/infer/context.h"

namespace waybill::graph::infer {

std::span<const InferRule> ContribRules() { return {}; }

}  // namespace waybill::graph::infer
