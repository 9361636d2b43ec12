#include "cpu/kernels/epilogue_operands.h"

#include <algorithm>

namespace waybill::cpu {
namespace {

// Dimension `from_last` axes before the end; 1 beyond the first.
int64_t DimFromLast(const Shape& shape, size_t from_last) {
  return from_last < shape.rank() ? shape[shape.rank() - 1 - from_last] : 1;
}

void Expand(const BroadcastLoops& loops, const float* from, float* to) {
  for (size_t i = 0; i < loops.outer_count; ++i) {
    const float* at = from + OffsetsAt(loops, i).a;
    for (size_t j = 0; j < loops.inner.dim; ++j) *to++ = at[j * loops.inner.a_stride];
  }
}

}  // namespace

Status EpilogueOperands::Plan(kernel::PlanContext& ctx, size_t first_input, size_t count,
                              const Shape& out) {
  first_input_ = first_input;
  const int64_t columns = DimFromLast(out, 0);
  for (size_t i = 0; i < count; ++i) {
    if (!ctx.has_input(first_input + i)) {
      return Error(Code::kInvalidArgument, "operand {} of the epilogue is missing", i);
    }
    const Shape& shape = ctx.input_shape(first_input + i);
    const auto together = BroadcastShapes(shape, out);
    if (!together || *together != out) {
      return Error(Code::kInvalidArgument, "operand {} of shape {} does not broadcast to {}", i,
                   shape, out);
    }
    Operand operand;
    bool rows_repeat = true, rows_differ = true;
    for (size_t axis = 1; axis < out.rank(); ++axis) {
      rows_repeat = rows_repeat && DimFromLast(shape, axis) == 1;
      rows_differ = rows_differ && DimFromLast(shape, axis) == DimFromLast(out, axis);
    }
    operand.column_stride = DimFromLast(shape, 0) == columns ? 1 : 0;
    if (!rows_repeat) {
      operand.row_stride = operand.column_stride == 0 ? 1 : static_cast<size_t>(columns);
    }
    operand.whole = rows_differ && operand.column_stride == 1;
    if (!rows_repeat && !rows_differ) {
      operand.expanded = true;
      operand.loops = MakeBroadcastLoops(shape, out, out);
      operand.scratch = ctx.BookScratch(static_cast<size_t>(out.elems()) * sizeof(float));
      operand.row_stride = static_cast<size_t>(columns);
      operand.column_stride = 1;
    }
    operands_.push_back(std::move(operand));
  }
  return Status::Ok();
}

void EpilogueOperands::Read(const kernel::RunContext& ctx, Array& operands) const {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    const float* data = ctx.input(first_input_ + i).as<const float>();
    if (operand.expanded) {
      float* to = ctx.scratch<float>(operand.scratch);
      Expand(operand.loops, data, to);
      data = to;
    }
    operands[i] = {data, operand.row_stride, operand.column_stride};
  }
}

}  // namespace waybill::cpu
