// TensorScatter: writes new entries of a cache along one axis, at a start per batch.
#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct CacheParams {
  int64_t axis = -2;
  bool circular = false;
};

Result<CacheParams> ParseTensorScatter(const graph::NodeRef& node) {
  const std::string mode = node.attrs().String("mode", "linear");
  if (mode != "linear" && mode != "circular") {
    return Error(Code::kInvalidArgument, "TensorScatter has no mode \"{}\"", mode);
  }
  return CacheParams{node.attrs().Int("axis", -2), mode == "circular"};
}

Status RunTensorScatter(const CacheParams& params, RunContext& ctx) {
  const TensorView& cache = ctx.input(0);
  const TensorView& update = ctx.input(1);
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, out.shape.rank()));
  const int64_t batches = out.shape[0], room = out.shape[axis], count = update.shape[axis];
  const int64_t per_batch = out.shape.ElemsBetween(1, axis);
  const int64_t block = out.shape.ElemsBetween(axis + 1, out.shape.rank());
  if (ctx.has_input(2) && ctx.input(2).elems() != batches) {
    return Error(Code::kInvalidArgument, "write_indices {} must have one value per batch, {}",
                 ctx.input(2).shape, batches);
  }
  if (count > room) {
    return Error(Code::kInvalidArgument, "the update has {} entries, the cache {}", count, room);
  }
  if (cache.data != out.data) CopyElements(out, 0, cache, 0, cache.elems());
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t start = ctx.has_input(2) ? IntAt(ctx.input(2), b) : 0;
    if (start < 0 || start > (params.circular ? room - 1 : room - count)) {
      if (count == 0) continue;
      return Error(Code::kInvalidArgument,
                   "write index {} of batch {} does not leave room for {} of {} entries", start, b,
                   count, room);
    }
    for (int64_t p = 0; p < per_batch; ++p) {
      const int64_t row = b * per_batch + p;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = (start + i) % room;
        CopyElements(out, (row * room + at) * block, update, (row * count + i) * block, block);
      }
    }
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kTensorScatter[1] = {
    FunctionImpl<CacheParams, ParseTensorScatter, RunTensorScatter, PlanElementwise>(
        "tensor_scatter.reference")};

}  // namespace waybill::kernel::reference
