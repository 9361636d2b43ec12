#include <algorithm>
#include <cstring>

#include "base/math/checked.h"
#include "cpu/resize/resize_plan.h"

namespace waybill::cpu {
namespace {

// What a block should take, so that it is still in the second-level cache when it is read.
constexpr size_t kBlockFloats = size_t{32} << 10;

}  // namespace

ResizeShape MakeResizeShape(const kernel::reference::TapParams& params,
                            const kernel::reference::TapAxes& axes, size_t rank) {
  ResizeShape shape;
  for (size_t i = 0; i < rank; ++i) {
    AxisTable table = MakeAxisTable(params, axes[i]);
    if (!table.identity) {
      shape.axes.push_back({std::move(table), 1});
    } else if (shape.axes.empty()) {
      shape.outer *= table.in;
    } else {
      shape.axes.back().between *= table.in;
    }
  }
  return shape;
}

BlendPlan::BlendPlan(ResizeShape shape) : shape_(std::move(shape)) {
  const std::vector<ResizeShape::Axis>& axes = shape_.axes;
  if (axes.empty()) return;
  first_in_ = axes[0].table.in;
  first_out_ = axes[0].table.out;
  in_row_ = out_row_ = axes[0].between;
  size_t before = axes[0].between;  // elements before an axis within a row
  for (size_t i = 1; i < axes.size(); ++i) {
    passes_.push_back({&axes[i].table, before, 1});
    before *= axes[i].table.in * axes[i].between;
    in_row_ *= axes[i].table.in * axes[i].between;
    out_row_ *= axes[i].table.out * axes[i].between;
  }
  std::reverse(passes_.begin(), passes_.end());
  size_t inner = 1, widest = 0;
  for (size_t i = 0; i < passes_.size(); ++i) {
    inner *= axes[axes.size() - 1 - i].between;
    passes_[i].inner = inner;
    inner *= passes_[i].table->out;
    widest = std::max(widest, passes_[i].outer_of_row * inner);
  }
  block_ = std::clamp<size_t>(kBlockFloats / std::max<size_t>(out_row_, 1), 1, first_out_);
  blocks_ = CeilDiv(first_out_, block_);
  size_t most_rows = 0;
  for (size_t first = 0; first < first_out_; first += block_) {
    const auto reads = axes[0].table.Reads(first, std::min(first + block_, first_out_));
    most_rows = std::max(most_rows, reads.end - reads.begin);
  }
  scratch_floats_ = passes_.empty() ? 0 : most_rows * widest;
}

void BlendPlan::RunBlock(const BlendTable& functions, const float* x, float* y, float* scratch,
                         size_t first, size_t last) const {
  const AxisTable& axis = shape_.axes[0].table;
  const AxisTable::Range reads = axis.Reads(first, last);
  const size_t rows = reads.end - reads.begin;
  const float* from = x + reads.begin * in_row_;
  for (size_t i = 0; i < passes_.size(); ++i) {
    const Pass& pass = passes_[i];
    float* to = scratch + (i % 2) * scratch_floats_;
    BlendArgs args;
    args.index = pass.table->index.data();
    args.weight = pass.table->weight.data();
    args.taps = pass.table->taps;
    args.count = pass.table->out;
    args.inner = pass.inner;
    for (size_t outer = 0; outer < rows * pass.outer_of_row; ++outer) {
      args.in = from + outer * pass.table->in * pass.inner;
      args.out = to + outer * pass.table->out * pass.inner;
      functions.blend(args);
    }
    from = to;
  }
  BlendArgs args;
  args.in = from;
  args.out = y + first * out_row_;
  args.index = axis.index.data() + first * axis.taps;
  args.weight = axis.weight.data() + first * axis.taps;
  args.taps = axis.taps;
  args.count = last - first;
  args.inner = out_row_;
  args.base = static_cast<uint32_t>(reads.begin);
  functions.blend(args);
}

void BlendPlan::Run(const BlendTable& functions, const float* x, float* y, float* scratch,
                    size_t begin, size_t end) const {
  for (size_t task = begin; task < end; ++task) {
    const size_t outer = task / blocks_, first = task % blocks_ * block_;
    RunBlock(functions, x + outer * first_in_ * in_row_, y + outer * first_out_ * out_row_, scratch,
             first, std::min(first + block_, first_out_));
  }
}

}  // namespace waybill::cpu
