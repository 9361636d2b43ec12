// What a producer (Conv, MatMul) does to a block of its result while the block is in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "base/status/result.h"
#include "cpu/tile/program.h"

namespace waybill::cpu {

using EpilogueOperand = TileOperand;  // column_stride 1 or 0 costs no copy

// Immutable and thread-safe; Run allocates nothing. A default one changes nothing.
class Epilogue {
 public:
  Epilogue() = default;
  // Operand 0 of the expression is the producer's result.
  // Errors: kInvalidArgument for an expression without steps.
  static Result<Epilogue> Make(const graph::Expression& expression, SimdTarget target);

  bool empty() const { return empty_; }
  // Operands besides the result; Run wants as many.
  size_t num_operands() const { return std::max<size_t>(program_.num_inputs(), 1) - 1; }

  // y[r * ldy + c] = expression(y[r * ldy + c], operand 1 at [r][c], ...) for a block of the
  // output; operands point at the same block of theirs. An element's value does not depend on the
  // block it is in.
  void Run(float* y, size_t ldy, size_t rows, size_t columns,
           std::span<const EpilogueOperand> operands) const;

  // Whether the whole is min(max(y, low), high) with NaN kept: Relu, Clip or nothing. Producers do
  // that in registers.
  bool AsClamp(float* low, float* high) const;

 private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  TileProgram program_;
  bool empty_ = true;
  bool is_clamp_ = true;
  float low_ = -kInfinity, high_ = kInfinity;
};

}  // namespace waybill::cpu
