#include "graph/infer/rules/tensor/slice.h"

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::ClampSlice;
using graph::infer::SliceRange;
using graph::infer::SliceSpec;
using graph::infer::SpreadSlice;

// Slice-1 has its lists as attributes.
struct SliceParams {
  bool by_attribute = false;
  bool has_axes = false;
  std::vector<int64_t> starts, ends, axes;
};

Result<SliceParams> ParseSlice(const graph::NodeRef& node) {
  SliceParams params;
  params.by_attribute = node.attrs().Has("starts");
  params.has_axes = node.attrs().Has("axes");
  params.starts = node.attrs().Ints("starts");
  params.ends = node.attrs().Ints("ends");
  params.axes = node.attrs().Ints("axes");
  return params;
}

Result<SliceSpec> ReadSpec(const SliceParams& params, RunContext& ctx) {
  const size_t rank = ctx.input(0).shape.rank();
  std::optional<std::span<const int64_t>> axes, steps;
  if (params.by_attribute) {
    if (params.has_axes) axes = std::span<const int64_t>(params.axes);
    return SpreadSlice(rank, params.starts, params.ends, axes, steps);
  }
  std::optional<IntList> axis_list, step_list;
  WB_ASSIGN_OR_RETURN(const IntList starts, ReadInts(ctx.input(1), "starts"));
  WB_ASSIGN_OR_RETURN(const IntList ends, ReadInts(ctx.input(2), "ends"));
  if (ctx.has_input(3)) {
    WB_ASSIGN_OR_RETURN(axis_list, ReadInts(ctx.input(3), "axes"));
    axes = axis_list->values();
  }
  if (ctx.has_input(4)) {
    WB_ASSIGN_OR_RETURN(step_list, ReadInts(ctx.input(4), "steps"));
    steps = step_list->values();
  }
  return SpreadSlice(rank, starts.values(), ends.values(), axes, steps);
}

Status RunSlice(const SliceParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const SliceSpec spec, ReadSpec(params, ctx));
  const size_t rank = in.shape.rank();
  const Shape in_strides = RowMajorStrides(in.shape);
  Shape src_strides = Shape::Filled(rank, 0);
  int64_t first = 0;
  for (size_t i = 0; i < rank; ++i) {
    const SliceRange range = ClampSlice(spec.start[i], spec.end[i], spec.step[i], in.shape[i]);
    if (range.count != out.shape[i]) {
      return Error(Code::kInvalidArgument, "axis {} of the slice has {} elements, not {}", i,
                   range.count, out.shape[i]);
    }
    if (range.count == 0) return Status::Ok();
    first += range.first * in_strides[i];
    // A step over a single element may be of any size.
    if (range.count > 1) src_strides[i] = spec.step[i] * in_strides[i];
  }
  CopyBox(out.shape, {out, 0, RowMajorStrides(out.shape)}, {in, first, src_strides});
  return Status::Ok();
}

}  // namespace

const KernelImpl kSlice[1] = {FunctionImpl<SliceParams, ParseSlice, RunSlice>("slice.reference")};

}  // namespace waybill::kernel::reference
