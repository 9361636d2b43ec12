#include <optional>

#include "cpu/move/copy_plan.h"
#include "cpu/move/kernels.h"
#include "graph/infer/rules/tensor/slice.h"
#include "kernel/reference/support/indices.h"

namespace waybill::cpu {
namespace {

using graph::infer::SliceRange;
using graph::infer::SliceSpec;
using kernel::PlanContext;
using kernel::reference::IntList;
using kernel::reference::ReadInts;

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

// Nothing while one of the lists is not known.
Result<std::optional<SliceSpec>> ReadSpec(const SliceParams& params, PlanContext& ctx) {
  const size_t rank = ctx.input_shape(0).rank();
  std::optional<std::span<const int64_t>> axes, steps;
  std::optional<IntList> starts, ends, axis_list, step_list;
  if (params.by_attribute) {
    if (params.has_axes) axes = std::span<const int64_t>(params.axes);
    WB_ASSIGN_OR_RETURN(SliceSpec spec,
                        graph::infer::SpreadSlice(rank, params.starts, params.ends, axes, steps));
    return std::optional(std::move(spec));
  }
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.has_input(i) && ctx.values(i) == nullptr) return std::optional<SliceSpec>();
  }
  WB_ASSIGN_OR_RETURN(starts, ReadInts(*ctx.values(1), "starts"));
  WB_ASSIGN_OR_RETURN(ends, ReadInts(*ctx.values(2), "ends"));
  if (ctx.has_input(3)) {
    WB_ASSIGN_OR_RETURN(axis_list, ReadInts(*ctx.values(3), "axes"));
    axes = axis_list->values();
  }
  if (ctx.has_input(4)) {
    WB_ASSIGN_OR_RETURN(step_list, ReadInts(*ctx.values(4), "steps"));
    steps = step_list->values();
  }
  WB_ASSIGN_OR_RETURN(SliceSpec spec, graph::infer::SpreadSlice(rank, starts->values(),
                                                                ends->values(), axes, steps));
  return std::optional(std::move(spec));
}

// Whether the elements lie one behind the other in the input too.
bool IsRun(const CopyPlan::Box& box) {
  for (size_t i = 0; i < box.dims.rank(); ++i) {
    if (box.dims[i] == 0) return false;
    if (box.dims[i] > 1 && box.src_strides[i] != box.dst_strides[i]) return false;
  }
  return true;
}

Status PlanSlice(const SliceParams& params, PlanContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::optional<SliceSpec> spec, ReadSpec(params, ctx));
  if (!spec) return Status::Ok();
  const Shape& in = ctx.input_shape(0);
  const size_t rank = in.rank();
  const Shape strides = RowStrides(in);
  Shape out = in;
  CopyPlan::Box box{Shape(), 0, Shape(), 0, Shape::Filled(rank, 0)};
  bool whole = true;
  for (size_t i = 0; i < rank; ++i) {
    const SliceRange range =
        graph::infer::ClampSlice(spec->start[i], spec->end[i], spec->step[i], in[i]);
    out[i] = range.count;
    whole &= range.count == in[i] && (spec->step[i] == 1 || range.count <= 1);
    if (range.count == 0) continue;
    box.src_first += range.first * strides[i];
    // A step over a single element may be of any size.
    if (range.count > 1) box.src_strides[i] = spec->step[i] * strides[i];
  }
  ctx.SetOutput(0, ctx.input_dtype(0), out);
  if (whole) {
    ctx.MakeView(0, 0);
    return Status::Ok();
  }
  box.dims = out;
  box.dst_strides = RowStrides(out);
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  plan->Add(0, 0, box);
  if (IsRun(box)) ctx.AllowPartOf(0, 0, plan->BytesOf(box.src_first));
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

}  // namespace

const kernel::KernelImpl kSliceMove[1] = {
    CopyImpl<SliceParams, ParseSlice, PlanSlice>("slice.move")};

}  // namespace waybill::cpu
