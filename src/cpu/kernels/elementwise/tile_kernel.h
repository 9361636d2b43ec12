// The kernel of every elementwise f32 operator: an expression over operands that broadcast.
#pragma once

#include <memory>
#include <vector>

#include "cpu/tile/program.h"
#include "graph/fused/expression.h"
#include "kernel/api/kernel.h"

namespace waybill::cpu {

// What one node computes, in terms of its inputs.
struct TileOperator {
  graph::Expression expression;
  std::vector<size_t> inputs;  // node input of each operand of the expression
  // Operands from here on must be scalars (limits of Clip).
  size_t first_scalar = static_cast<size_t>(-1);
};

// The meaning of a node of the operators that TileKernels lists.
// Errors: kInvalidArgument for attributes that the operator refuses.
Result<TileOperator> MakeTileOperator(const graph::NodeRef& node);

}  // namespace waybill::cpu
