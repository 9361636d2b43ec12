// What an Expression means, one element at a time: the reference for all fused elementwise code.
#pragma once

#include <span>

#include "base/status/result.h"
#include "graph/fused/expression.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// `x` has expression.num_inputs() operands. Every step is computed in double and rounded to float.
float EvalExpression(const graph::Expression& expression, const float* x);

// The expression and shapes must fit: at most operands.size() inputs, every operand f32 and
// broadcastable to `shape`, numpy style. Errors: kInvalidArgument naming what does not.
Status CheckOperands(const graph::Expression& expression,
                     std::span<const TensorView* const> operands, const Shape& shape);

// y[p] = expression(operands[0][p], operands[1][p], ...) for each position p of y, which is f32.
// CheckOperands holds; an operand of y's shape may be y itself.
void ApplyExpression(const graph::Expression& expression,
                     std::span<const TensorView* const> operands, const TensorView& y);

}  // namespace waybill::kernel::reference
