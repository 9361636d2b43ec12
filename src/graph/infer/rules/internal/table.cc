#include "graph/infer/context.h"

namespace waybill::graph::infer {

std::span<const InferRule> InternalRules() { return {}; }

}  // namespace waybill::graph::infer
