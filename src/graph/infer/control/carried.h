// Values that a body passes on to its next iteration.
#pragma once

#include <vector>

#include "graph/infer/driver.h"

namespace waybill::graph::infer {

// Infers `body` with `inputs`, whose entries [first, first + count) are fed from the body's outputs
// [first_output, first_output + count) in later iterations, until what is said of them holds for
// all iterations. On return `inputs` has these types, and the body's values theirs.
Status InferCarried(Driver& driver, const Graph& graph, const Node& node, Graph& body,
                    std::vector<ValueType>& inputs, size_t first, size_t count,
                    size_t first_output);

}  // namespace waybill::graph::infer
