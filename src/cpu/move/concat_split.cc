// Concat and Split: the same boxes, in one direction or the other.
#include <optional>

#include "cpu/move/copy_plan.h"
#include "cpu/move/kernels.h"
#include "graph/infer/context.h"
#include "graph/infer/rules/tensor/split.h"
#include "kernel/reference/support/indices.h"

namespace waybill::cpu {
namespace {

using kernel::PlanContext;
using kernel::reference::IntList;

struct ConcatParams {
  int64_t axis = 0;
};

Result<ConcatParams> ParseConcat(const graph::NodeRef& node) {
  return ConcatParams{node.attrs().Int("axis", 1)};
}

// Rows of `block` elements, `row` apart in the tensor with all parts.
struct Rows {
  int64_t outer, block, row, before;

  Shape dims() const { return Shape{outer, block}; }
  Shape together() const { return Shape{row, 1}; }
  Shape apart() const { return Shape{block, 1}; }
};

Status PlanConcat(const ConcatParams& params, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) == nullptr) return Status::Ok();
  const Shape& out = *ctx.output_shape(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, out.rank()));
  auto plan = std::make_shared<CopyPlan>(ctx.record().outputs[0].dtype);
  Rows rows{out.ElemsBetween(0, axis), 0, out.ElemsBetween(axis, out.rank()), 0};
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.has_input(i)) continue;
    const Shape& in = ctx.input_shape(i);
    if (in == out) {
      ctx.MakeView(0, i);
      return Status::Ok();
    }
    rows.block = in.ElemsBetween(axis, in.rank());
    plan->Add(0, i, CopyPlan::Box{rows.dims(), rows.before, rows.together(), 0, rows.apart()});
    const size_t before = plan->BytesOf(rows.before);
    if (rows.outer == 1) {
      ctx.AllowPiece(i, 0, before);
    } else if (rows.outer * rows.block != 0) {
      ctx.AllowPitchedPiece(i, 0, before, plan->BytesOf(rows.block), plan->BytesOf(rows.row));
    }
    rows.before += rows.block;
  }
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

struct SplitParams {
  int64_t axis = 0;
  bool by_count = false;  // num_outputs is given: the last part may be smaller
  int64_t num_outputs = 0;
  bool has_sizes = false;  // as an attribute
  std::vector<int64_t> sizes;
};

Result<SplitParams> ParseSplit(const graph::NodeRef& node) {
  SplitParams params;
  params.axis = node.attrs().Int("axis", 0);
  params.by_count = node.attrs().Has("num_outputs");
  params.num_outputs = node.attrs().Int("num_outputs", static_cast<int64_t>(node.num_outputs()));
  params.has_sizes = node.attrs().Has("split");
  params.sizes = node.attrs().Ints("split");
  return params;
}

Status PlanSplit(const SplitParams& params, PlanContext& ctx) {
  std::optional<std::span<const int64_t>> sizes;
  std::optional<IntList> listed;
  if (params.has_sizes) {
    sizes = std::span<const int64_t>(params.sizes);
  } else if (ctx.has_input(1)) {
    // Sizes of outputs alone do not say where they begin: wait for the values.
    if (ctx.values(1) == nullptr) return Status::Ok();
    WB_ASSIGN_OR_RETURN(listed, kernel::reference::ReadInts(*ctx.values(1), "split"));
    sizes = listed->values();
  }
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& in = ctx.input_shape(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, in.rank()));
  const size_t parts = sizes ? sizes->size() : static_cast<size_t>(params.num_outputs);
  const int64_t inner = in.ElemsBetween(axis + 1, in.rank());
  Rows rows{in.ElemsBetween(0, axis), 0, in.ElemsBetween(axis, in.rank()), 0};
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  for (size_t i = 0; i < ctx.node().num_outputs(); ++i) {
    WB_ASSIGN_OR_RETURN(const int64_t part,
                        graph::infer::SplitPart(in[axis], parts, sizes, params.by_count, i));
    rows.block = part * inner;
    if (ctx.node().has_output(i)) {
      if (rows.block == rows.row && ctx.node().num_outputs() == 1) {
        ctx.MakeView(i, 0);
        return Status::Ok();
      }
      plan->Add(i, 0, CopyPlan::Box{rows.dims(), 0, rows.apart(), rows.before, rows.together()});
      if (rows.outer == 1) ctx.AllowPartOf(i, 0, plan->BytesOf(rows.before));
    }
    rows.before += rows.block;
  }
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

}  // namespace

const kernel::KernelImpl kConcatMove[1] = {
    CopyImpl<ConcatParams, ParseConcat, PlanConcat>("concat.move")};
const kernel::KernelImpl kSplitMove[1] = {
    CopyImpl<SplitParams, ParseSplit, PlanSplit>("split.move")};

}  // namespace waybill::cpu
