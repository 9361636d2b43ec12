// SplitToSequence and ConcatFromSequence: from a tensor to a sequence and back.
#include <algorithm>

#include "base/math/checked.h"
#include "graph/infer/context.h"
#include "graph/infer/rules/tensor/split.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

Status PlanByRun(PlanContext&) { return Status::Ok(); }

struct SplitParams {
  int64_t axis = 0;
  bool keepdims = true;
};

Result<SplitParams> ParseSplitToSequence(const graph::NodeRef& node) {
  return SplitParams{node.attrs().Int("axis", 0), node.attrs().Int("keepdims", 1) != 0};
}

// Sizes of the parts along an axis of `dim` elements: from input 1, or one element each.
Result<std::vector<int64_t>> PartSizes(int64_t dim, RunContext& ctx) {
  if (!ctx.has_input(1)) return std::vector<int64_t>(static_cast<size_t>(dim), 1);
  const TensorView& split = ctx.input(1);
  if (split.shape.rank() == 0) {
    WB_ASSIGN_OR_RETURN(const int64_t chunk, ReadInt(split, "split"));
    if (chunk <= 0) return Error(Code::kInvalidArgument, "split {} is not positive", chunk);
    std::vector<int64_t> sizes;
    for (int64_t left = dim; left > 0; left -= chunk) sizes.push_back(std::min(left, chunk));
    return sizes;
  }
  WB_ASSIGN_OR_RETURN(const IntList list, ReadInts(split, "split"));
  std::vector<int64_t> sizes(list.values().begin(), list.values().end());
  if (sizes.empty() && dim == 0) return sizes;
  WB_RETURN_IF_ERROR(graph::infer::SplitPart(dim, std::max<size_t>(sizes.size(), 1),
                                             std::span<const int64_t>(sizes), false, 0)
                         .status());
  return sizes;
}

Status RunSplitToSequence(const SplitParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, in.shape.rank()));
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, PartSizes(in.shape[axis], ctx));
  const bool drop_axis = !ctx.has_input(1) && !params.keepdims;
  const int64_t outer = in.shape.ElemsBetween(0, axis);
  const int64_t inner = in.shape.ElemsBetween(axis + 1, in.shape.rank());
  const int64_t row = in.shape[axis] * inner;
  SequenceValue out{ValueType::Tensor(in.dtype), {}};
  int64_t before = 0;
  for (const int64_t size : sizes) {
    Shape shape;
    for (size_t i = 0; i < in.shape.rank(); ++i) {
      if (i != axis) shape.PushBack(in.shape[i]);
      if (i == axis && !drop_axis) shape.PushBack(size);
    }
    WB_ASSIGN_OR_RETURN(Tensor item, ctx.AllocateTensor(in.dtype, shape));
    const int64_t block = size * inner;
    for (int64_t o = 0; o < outer; ++o) {
      CopyElements(item.view(), o * block, in, o * row + before, block);
    }
    before += block;
    out.items.emplace_back(std::move(item));
  }
  ctx.SetOutputValue(0, std::move(out));
  return Status::Ok();
}

struct JoinParams {
  int64_t axis = 0;
  bool new_axis = false;
};

Result<JoinParams> ParseConcatFromSequence(const graph::NodeRef& node) {
  return JoinParams{node.attrs().Int("axis", 0), node.attrs().Int("new_axis", 0) != 0};
}

// The shape of the joined items. Errors: they differ in type, rank or another axis.
Result<Shape> JoinedShape(const SequenceValue& sequence, size_t axis, bool new_axis) {
  const TensorView& first = sequence.items[0].tensor()->view();
  int64_t total = 0;
  for (const Value& item : sequence.items) {
    const TensorView& view = item.tensor()->view();
    bool fits = view.dtype == first.dtype && view.shape.rank() == first.shape.rank();
    for (size_t i = 0; fits && i < first.shape.rank(); ++i) {
      fits = view.shape[i] == first.shape[i] || (i == axis && !new_axis);
    }
    if (!fits) {
      return Error(Code::kInvalidArgument, "items {} and {} cannot be joined along axis {}",
                   first.Describe(), view.Describe(), axis);
    }
    const auto sum = CheckedAdd(total, new_axis ? 1 : view.shape[axis]);
    if (!sum) return Error(Code::kInvalidArgument, "the joined axis is too large");
    total = *sum;
  }
  Shape shape;
  for (size_t i = 0; i < first.shape.rank(); ++i) {
    if (i == axis) shape.PushBack(total);
    if (i != axis || new_axis) shape.PushBack(first.shape[i]);
  }
  if (axis == first.shape.rank()) shape.PushBack(total);
  return shape;
}

Status RunConcatFromSequence(const JoinParams& params, RunContext& ctx) {
  const SequenceValue* sequence = ctx.input_value(0).sequence();
  if (sequence == nullptr || sequence->items.empty()) {
    return Error(Code::kInvalidArgument, "there are no items to join");
  }
  for (const Value& item : sequence->items) {
    if (item.tensor() == nullptr) {
      return Error(Code::kInvalidArgument, "only items that are tensors can be joined");
    }
  }
  const TensorView& first = sequence->items[0].tensor()->view();
  WB_ASSIGN_OR_RETURN(
      const size_t axis,
      graph::infer::Axis(params.axis, first.shape.rank() + (params.new_axis ? 1 : 0)));
  WB_ASSIGN_OR_RETURN(const Shape shape, JoinedShape(*sequence, axis, params.new_axis));
  WB_ASSIGN_OR_RETURN(const TensorView out, ctx.AllocateOutput(0, first.dtype, shape));
  const int64_t outer = shape.ElemsBetween(0, axis);
  const int64_t row = shape.ElemsBetween(axis, shape.rank());
  int64_t before = 0;
  for (const Value& item : sequence->items) {
    const TensorView& view = item.tensor()->view();
    const int64_t block = view.shape.ElemsBetween(axis, view.shape.rank());
    for (int64_t o = 0; o < outer; ++o) {
      CopyElements(out, o * row + before, view, o * block, block);
    }
    before += block;
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kSplitToSequence[1] = {
    FunctionImpl<SplitParams, ParseSplitToSequence, RunSplitToSequence, PlanByRun>(
        "split_to_sequence.reference")};
const KernelImpl kConcatFromSequence[1] = {
    FunctionImpl<JoinParams, ParseConcatFromSequence, RunConcatFromSequence, PlanByRun>(
        "concat_from_sequence.reference")};

}  // namespace waybill::kernel::reference
