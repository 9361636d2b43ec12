// Scatter, ScatterElements, ScatterND and TensorScatter: the output has the shape of the data.
#include <algorithm>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferScatter(InferContext& ctx) {
  const SymShape& data = ctx.input_shape(0);
  SetLike(ctx, 0, data);
  if (!data.has_rank()) return Status::Ok();
  WB_RETURN_IF_ERROR(Axis(ctx.attrs().Int("axis", 0), data.rank()).status());
  const SymShape& indices = ctx.input_shape(1);
  const SymShape& updates = ctx.input_shape(2);
  if (indices.has_rank() && indices.rank() != data.rank()) {
    return Error(Code::kInvalidArgument, "data {} and indices {} differ in rank", data, indices);
  }
  if (!indices.has_rank() || !updates.has_rank()) return Status::Ok();
  if (indices.rank() != updates.rank()) {
    return Error(Code::kInvalidArgument, "indices {} and updates {} differ", indices, updates);
  }
  for (size_t i = 0; i < indices.rank(); ++i) {
    WB_RETURN_IF_ERROR(EqualDims(indices[i], updates[i]).status(), "axis {} of updates {}", i,
                       updates);
  }
  return Status::Ok();
}

Status InferScatterND(InferContext& ctx) {
  const SymShape& data = ctx.input_shape(0);
  const SymShape& indices = ctx.input_shape(1);
  const SymShape& updates = ctx.input_shape(2);
  SetLike(ctx, 0, data);
  if (!data.has_rank() || !indices.has_rank()) return Status::Ok();
  if (indices.rank() < 1 || data.rank() < 1) {
    return Error(Code::kInvalidArgument, "data {} and indices {} need a rank of at least 1", data,
                 indices);
  }
  const Dim& tuple = indices[indices.rank() - 1];
  if (!tuple.known()) return Status::Ok();
  if (tuple.value() > static_cast<int64_t>(data.rank())) {
    return Error(Code::kInvalidArgument, "index tuples of {} values for data {}", tuple, data);
  }
  if (!updates.has_rank()) return Status::Ok();
  std::vector<Dim> want(indices.dims().begin(), indices.dims().end() - 1);
  want.insert(want.end(), data.dims().begin() + tuple.value(), data.dims().end());
  if (want.size() != updates.rank()) {
    return Error(Code::kInvalidArgument, "updates {} must have the shape {}", updates,
                 SymShape(std::move(want)));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    WB_RETURN_IF_ERROR(EqualDims(want[i], updates[i]).status(), "axis {} of updates {}", i,
                       updates);
  }
  return Status::Ok();
}

Status InferTensorScatter(InferContext& ctx) {
  const SymShape& cache = ctx.input_shape(0);
  const SymShape& update = ctx.input_shape(1);
  SetLike(ctx, 0, cache);
  if (!cache.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", -2), cache.rank()));
  if (axis == 0) {
    return Error(Code::kInvalidArgument, "axis 0 is the batch axis; it cannot be written along");
  }
  if (!update.has_rank()) return Status::Ok();
  if (update.rank() != cache.rank()) {
    return Error(Code::kInvalidArgument, "cache {} and update {} differ in rank", cache, update);
  }
  for (size_t i = 0; i < cache.rank(); ++i) {
    if (i == axis) continue;
    WB_RETURN_IF_ERROR(EqualDims(cache[i], update[i]).status(), "axis {} of update {}", i, update);
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
