// Operands of a fused epilogue: inputs that broadcast to the output, seen as rows by columns.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/status/status.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/tile/epilogue.h"
#include "graph/fused/expression.h"
#include "kernel/api/plan_context.h"
#include "kernel/api/run_context.h"

namespace waybill::cpu {

// The last axis of the output gives the columns, all others the rows. What does not broadcast along
// whole rows or whole columns is written out to scratch first.
class EpilogueOperands {
 public:
  using Array = std::array<EpilogueOperand, graph::kMaxExprInputs>;

  // Inputs [first_input, first_input + count) of the node, f32, over output shape `out`; books
  // scratch. Errors: kInvalidArgument for an operand that does not broadcast to `out`.
  Status Plan(kernel::PlanContext& ctx, size_t first_input, size_t count, const Shape& out);

  // Operands over the whole output; they are valid during the run.
  void Read(const kernel::RunContext& ctx, Array& operands) const;

  // Whether operand i has the output's own shape.
  bool IsWhole(size_t i) const { return operands_[i].whole; }

 private:
  struct Operand {
    size_t row_stride = 0;
    size_t column_stride = 0;
    bool whole = false;
    bool expanded = false;
    size_t scratch = 0;    // booking, when expanded
    BroadcastLoops loops;  // from the operand to the output, when expanded
  };

  size_t first_input_ = 0;
  std::vector<Operand> operands_;
};

}  // namespace waybill::cpu
