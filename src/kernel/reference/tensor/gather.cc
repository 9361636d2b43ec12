// Gather, GatherElements and GatherND.
#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct GatherParams {
  int64_t axis = 0;
  int64_t batch_dims = 0;
};

Result<GatherParams> ParseGather(const graph::NodeRef& node) {
  return GatherParams{node.attrs().Int("axis", 0), node.attrs().Int("batch_dims", 0)};
}

Status RunGather(const GatherParams& params, RunContext& ctx) {
  const TensorView& data = ctx.input(0);
  const TensorView& indices = ctx.input(1);
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, data.shape.rank()));
  const int64_t outer = data.shape.ElemsBetween(0, axis);
  const int64_t block = data.shape.ElemsBetween(axis + 1, data.shape.rank());
  const int64_t bound = data.shape[axis], picks = indices.elems();
  for (int64_t i = 0; i < picks; ++i) {
    WB_ASSIGN_OR_RETURN(const int64_t index, CheckIndex(IntAt(indices, i), bound, axis));
    for (int64_t o = 0; o < outer; ++o) {
      CopyElements(out, (o * picks + i) * block, data, (o * bound + index) * block, block);
    }
  }
  return Status::Ok();
}

Status RunGatherElements(const GatherParams& params, RunContext& ctx) {
  const TensorView& data = ctx.input(0);
  const TensorView& indices = ctx.input(1);
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, data.shape.rank()));
  if (out.elems() == 0) return Status::Ok();
  for (size_t d = 0; d < data.shape.rank(); ++d) {
    if (d != axis && indices.shape[d] > data.shape[d]) {
      return Error(Code::kInvalidArgument, "indices {} exceed data {} in axis {}", indices.shape,
                   data.shape, d);
    }
  }
  const Shape strides = RowMajorStrides(data.shape);
  NdCounter at(indices.shape);
  int64_t i = 0;
  do {
    WB_ASSIGN_OR_RETURN(const int64_t index, CheckIndex(IntAt(indices, i), data.shape[axis], axis));
    const int64_t from = at.Offset(strides) + (index - at[axis]) * strides[axis];
    CopyElements(out, i, data, from, 1);
    ++i;
  } while (at.Next());
  return Status::Ok();
}

Status RunGatherND(const GatherParams& params, RunContext& ctx) {
  const TensorView& data = ctx.input(0);
  const TensorView& indices = ctx.input(1);
  const TensorView& out = ctx.output(0);
  const auto batch_dims = static_cast<size_t>(params.batch_dims);
  const auto tuple = static_cast<size_t>(indices.shape[indices.shape.rank() - 1]);
  const int64_t batches = data.shape.ElemsBetween(0, batch_dims);
  const int64_t batch_elems = data.shape.ElemsBetween(batch_dims, data.shape.rank());
  const int64_t per_batch = indices.shape.ElemsBetween(batch_dims, indices.shape.rank() - 1);
  const int64_t block = data.shape.ElemsBetween(batch_dims + tuple, data.shape.rank());
  for (int64_t b = 0, i = 0; b < batches; ++b) {
    for (int64_t n = 0; n < per_batch; ++n, ++i) {
      int64_t from = 0;
      for (size_t t = 0; t < tuple; ++t) {
        const size_t axis = batch_dims + t;
        WB_ASSIGN_OR_RETURN(
            const int64_t index,
            CheckIndex(IntAt(indices, i * static_cast<int64_t>(tuple) + static_cast<int64_t>(t)),
                       data.shape[axis], axis));
        from = from * data.shape[axis] + index;
      }
      CopyElements(out, i * block, data, b * batch_elems + from * block, block);
    }
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kGather[1] = {
    FunctionImpl<GatherParams, ParseGather, RunGather>("gather.reference")};
const KernelImpl kGatherElements[1] = {
    FunctionImpl<GatherParams, ParseGather, RunGatherElements>("gather_elements.reference")};
const KernelImpl kGatherND[1] = {
    FunctionImpl<GatherParams, ParseGather, RunGatherND>("gather_nd.reference")};

}  // namespace waybill::kernel::reference
