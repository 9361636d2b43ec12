// An expression compiled to instructions over tiles that stay in the first-level cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "cpu/tile/ops.h"

namespace waybill::cpu {

// One operand over a block of rows and columns: the element of row r and column c is
// data[r * row_stride + c * column_stride]. Strides count floats; 0 repeats.
struct TileOperand {
  const float* data = nullptr;
  size_t row_stride = 0;
  size_t column_stride = 0;
};

// Immutable and thread-safe; Run allocates nothing.
class TileProgram {
 public:
  // Errors: kInvalidArgument for an expression without steps.
  static Result<TileProgram> Make(const graph::Expression& expression, SimdTarget target);

  size_t num_inputs() const { return num_inputs_; }
  // Rough time of one element in nanoseconds, for splitting work over threads.
  float cost_ns() const { return cost_ns_; }

  // out[r * out_stride + c] = expression(inputs at [r][c]) for the whole block. `inputs` has
  // num_inputs() operands. An operand that overlaps `out` must be `out` itself with its strides.
  // An element's value does not depend on the block it is in.
  void Run(float* out, size_t out_stride, size_t rows, size_t columns,
           std::span<const TileOperand> inputs) const;

 private:
  friend class TileCompiler;
  friend class TileRun;

  // Arguments and results live in slots: operands, then temporaries, then numbers, then the result.
  struct Instruction {
    const TileFunctions* functions;
    uint8_t args[3];
    uint8_t arity;
    uint8_t result;
  };
  size_t result_slot() const { return num_inputs_ + num_temps_ + numbers_.size(); }

  std::vector<Instruction> code_;
  std::vector<float> numbers_;
  size_t num_inputs_ = 0;
  size_t num_temps_ = 0;
  float cost_ns_ = 0;
};

}  // namespace waybill::cpu
