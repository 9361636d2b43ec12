// ONNX operators as steps of an Expression.
#pragma once

#include <optional>
#include <vector>

#include "graph/fused/expression.h"
#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// What the node computes, its input i read as operand i; temps count the node's own steps.
// Constants of one value are numbers, where they do not change the shape of the result. Nothing
// when the node is not elementwise on f32 or is not expressible.
std::optional<std::vector<ExprStep>> ElementwiseSteps(const Editor& editor, const Node& node);

// The value of a constant f32 that is one number (one element, or a splat).
std::optional<float> UniformFloat(const Editor& editor, ValueId id);

}  // namespace waybill::graph::rewrite
