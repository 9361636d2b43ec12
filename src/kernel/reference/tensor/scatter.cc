// Scatter, ScatterElements and ScatterND. Updates are applied in row-major order of the indices.
#include <algorithm>

#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"
#include "kernel/reference/tensor/reduction.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct ScatterParams {
  int64_t axis = 0;
  Reduction reduction = Reduction::kNone;
};

Result<ScatterParams> ParseScatter(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(const Reduction reduction,
                      ParseReduction(node.attrs().String("reduction", "none")));
  return ScatterParams{node.attrs().Int("axis", 0), reduction};
}

// The data may be overwritten: everything but the updated elements stays.
Status PlanScatter(PlanContext& ctx) { return PlanElementwise(ctx); }

void CopyData(RunContext& ctx) {
  const TensorView& data = ctx.input(0);
  const TensorView& out = ctx.output(0);
  if (data.data != out.data) CopyElements(out, 0, data, 0, data.elems());
}

// out[to + i] = reduction of itself and updates[from + i], for i in [0, count).
Status Update(Reduction reduction, const TensorView& out, int64_t to, const TensorView& updates,
              int64_t from, int64_t count) {
  if (reduction == Reduction::kNone) {
    CopyElements(out, to, updates, from, count);
    return Status::Ok();
  }
  return DispatchDType(out.dtype, ReducibleTypes{}, [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      T& element = out.as<T>()[to + i];
      element = Reduce(reduction, element, updates.as<T>()[from + i]);
    }
    return Status::Ok();
  });
}

Status RunScatterElements(const ScatterParams& params, RunContext& ctx) {
  const TensorView& indices = ctx.input(1);
  const TensorView& updates = ctx.input(2);
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, out.shape.rank()));
  for (size_t d = 0; d < out.shape.rank(); ++d) {
    if (d != axis && indices.shape[d] > out.shape[d]) {
      return Error(Code::kInvalidArgument, "indices {} exceed data {} in axis {}", indices.shape,
                   out.shape, d);
    }
  }
  CopyData(ctx);
  if (indices.elems() == 0) return Status::Ok();
  const Shape strides = RowMajorStrides(out.shape);
  NdCounter at(indices.shape);
  int64_t i = 0;
  do {
    WB_ASSIGN_OR_RETURN(const int64_t index, CheckIndex(IntAt(indices, i), out.shape[axis], axis));
    const int64_t to = at.Offset(strides) + (index - at[axis]) * strides[axis];
    WB_RETURN_IF_ERROR(Update(params.reduction, out, to, updates, i, 1));
    ++i;
  } while (at.Next());
  return Status::Ok();
}

Status RunScatterND(const ScatterParams& params, RunContext& ctx) {
  const TensorView& indices = ctx.input(1);
  const TensorView& updates = ctx.input(2);
  const TensorView& out = ctx.output(0);
  CopyData(ctx);
  const size_t last = indices.shape.rank() - 1;
  const auto tuple = static_cast<size_t>(indices.shape[last]);
  const int64_t tuples = indices.shape.ElemsBetween(0, last);
  const int64_t block = out.shape.ElemsBetween(tuple, out.shape.rank());
  for (int64_t n = 0; n < tuples; ++n) {
    int64_t to = 0;
    for (size_t t = 0; t < tuple; ++t) {
      const int64_t i = n * static_cast<int64_t>(tuple) + static_cast<int64_t>(t);
      WB_ASSIGN_OR_RETURN(const int64_t index, CheckIndex(IntAt(indices, i), out.shape[t], t));
      to = to * out.shape[t] + index;
    }
    WB_RETURN_IF_ERROR(Update(params.reduction, out, to * block, updates, n * block, block));
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kScatterElements[1] = {
    FunctionImpl<ScatterParams, ParseScatter, RunScatterElements, PlanScatter>(
        "scatter_elements.reference")};
const KernelImpl kScatterND[1] = {
    FunctionImpl<ScatterParams, ParseScatter, RunScatterND, PlanScatter>("scatter_nd.reference")};

}  // namespace waybill::kernel::reference
