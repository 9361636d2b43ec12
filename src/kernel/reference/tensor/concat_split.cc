// Concat and Split: the same boxes, in one direction or the other.
#include "graph/infer/context.h"
#include "graph/infer/rules/tensor/split.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct AxisParams {
  int64_t axis = 0;
};

Result<AxisParams> ParseConcat(const graph::NodeRef& node) {
  return AxisParams{node.attrs().Int("axis", 1)};
}

Status RunConcat(const AxisParams& params, RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, out.shape.rank()));
  const int64_t outer = out.shape.ElemsBetween(0, axis);
  const int64_t row = out.shape.ElemsBetween(axis, out.shape.rank());
  int64_t before = 0;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.has_input(i)) continue;
    const TensorView& in = ctx.input(i);
    const int64_t block = in.shape.ElemsBetween(axis, in.shape.rank());
    for (int64_t o = 0; o < outer; ++o) {
      CopyElements(out, o * row + before, in, o * block, block);
    }
    before += block;
  }
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

Status RunSplit(const SplitParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, in.shape.rank()));
  std::optional<std::span<const int64_t>> sizes;
  std::optional<IntList> listed;
  if (params.has_sizes) {
    sizes = std::span<const int64_t>(params.sizes);
  } else if (ctx.has_input(1)) {
    WB_ASSIGN_OR_RETURN(listed, ReadInts(ctx.input(1), "split"));
    sizes = listed->values();
  }
  const int64_t outer = in.shape.ElemsBetween(0, axis);
  const int64_t row = in.shape.ElemsBetween(axis, in.shape.rank());
  const int64_t inner = in.shape.ElemsBetween(axis + 1, in.shape.rank());
  const size_t parts = sizes ? sizes->size() : static_cast<size_t>(params.num_outputs);
  int64_t before = 0;
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    WB_ASSIGN_OR_RETURN(const int64_t part,
                        graph::infer::SplitPart(in.shape[axis], parts, sizes, params.by_count, i));
    const int64_t block = part * inner;
    for (int64_t o = 0; ctx.wants_output(i) && o < outer; ++o) {
      CopyElements(ctx.output(i), o * block, in, o * row + before, block);
    }
    before += block;
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kConcat[1] = {
    FunctionImpl<AxisParams, ParseConcat, RunConcat>("concat.reference")};
const KernelImpl kSplit[1] = {FunctionImpl<SplitParams, ParseSplit, RunSplit>("split.reference")};

}  // namespace waybill::kernel::reference
