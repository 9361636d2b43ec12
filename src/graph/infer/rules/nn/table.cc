#include "graph/infer/context.h"

namespace waybill::graph::infer {

std::span<const InferRule> NnRules() { return {}; }

}  // namespace waybill::graph::infer
