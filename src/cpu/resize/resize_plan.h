// A resize as passes over its axes.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/resize/axis_table.h"
#include "cpu/resize/blend.h"
#include "kernel/reference/nn/resize/geometry.h"

namespace waybill::cpu {

// The axes that change, first to last, with what lies between them joined.
struct ResizeShape {
  struct Axis {
    AxisTable table;
    size_t between = 1;  // elements of unchanged axes behind it, before the next one that changes
  };
  size_t outer = 1;  // elements of unchanged axes before the first
  std::vector<Axis> axes;
};

ResizeShape MakeResizeShape(const kernel::reference::TapParams& params,
                            const kernel::reference::TapAxes& axes, size_t rank);

// f32 by weights. The output is cut into tasks of some rows of the first axis; a task resizes the
// input rows that it needs along all other axes, last axis first, and blends them.
class BlendPlan {
 public:
  explicit BlendPlan(ResizeShape shape);
  BlendPlan(const BlendPlan&) = delete;
  BlendPlan& operator=(const BlendPlan&) = delete;

  size_t tasks() const { return shape_.outer * blocks_; }
  // Of one thread.
  size_t scratch_floats() const { return 2 * scratch_floats_; }
  size_t out_elems() const { return shape_.outer * first_out_ * out_row_; }

  void Run(const BlendTable& functions, const float* x, float* y, float* scratch, size_t begin,
           size_t end) const;

 private:
  struct Pass {
    const AxisTable* table;
    size_t outer_of_row;  // repetitions within one row of the first axis
    size_t inner;
  };
  void RunBlock(const BlendTable& functions, const float* x, float* y, float* scratch, size_t first,
                size_t last) const;

  ResizeShape shape_;
  std::vector<Pass> passes_;  // of all axes but the first, in order of execution
  size_t first_in_ = 1, first_out_ = 1;
  size_t in_row_ = 1, out_row_ = 1;  // elements of a row of the first axis
  size_t block_ = 1, blocks_ = 1;    // output rows of a task, tasks for each outer position
  size_t scratch_floats_ = 0;
};

// Elements of any width, each a copy of one input element.
class NearestPlan {
 public:
  NearestPlan(ResizeShape shape, size_t element_bytes);

  // Rows along the last axis that changes.
  size_t rows() const { return rows_; }
  size_t out_bytes() const { return rows_ * out_row_bytes_; }
  void Run(const std::byte* x, std::byte* y, size_t begin, size_t end) const;

 private:
  void CopyRow(const std::byte* x, std::byte* y) const;

  ResizeShape shape_;
  std::vector<size_t> offsets_;  // of the last axis, bytes
  size_t rows_ = 1, run_bytes_ = 1, in_row_bytes_ = 1, out_row_bytes_ = 1;
};

}  // namespace waybill::cpu
