// Gather, GatherElements and GatherND.
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

// Elements of a known list that known indices pick.
void GatherContents(InferContext& ctx) {
  const auto data = ContentsOfList(ctx, 0);
  const auto indices = ctx.IntValues(1);
  if (!data || !indices || static_cast<int64_t>(indices->size()) > kMaxTrackedElems) return;
  const auto bound = static_cast<int64_t>(data->size());
  std::vector<Dim> picked;
  for (const int64_t index : *indices) {
    if (index < -bound || index >= bound) return;
    picked.push_back((*data)[static_cast<size_t>(index < 0 ? index + bound : index)]);
  }
  ctx.SetContents(0, std::move(picked));
}

}  // namespace

Status InferGather(InferContext& ctx) {
  const SymShape& data = ctx.input_shape(0);
  const SymShape& indices = ctx.input_shape(1);
  SetLike(ctx, 0, SymShape());
  if (!data.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", 0), data.rank()));
  if (!indices.has_rank()) return Status::Ok();
  std::vector<Dim> out(data.dims().begin(), data.dims().begin() + axis);
  out.insert(out.end(), indices.dims().begin(), indices.dims().end());
  out.insert(out.end(), data.dims().begin() + axis + 1, data.dims().end());
  SetLike(ctx, 0, SymShape(std::move(out)));
  GatherContents(ctx);
  return Status::Ok();
}

Status InferGatherElements(InferContext& ctx) {
  const SymShape& data = ctx.input_shape(0);
  const SymShape& indices = ctx.input_shape(1);
  if (data.has_rank()) {
    WB_RETURN_IF_ERROR(Axis(ctx.attrs().Int("axis", 0), data.rank()).status());
    if (indices.has_rank() && indices.rank() != data.rank()) {
      return Error(Code::kInvalidArgument, "data {} and indices {} differ in rank", data, indices);
    }
  }
  SetLike(ctx, 0, indices);
  return Status::Ok();
}

Status InferGatherND(InferContext& ctx) {
  const SymShape& data = ctx.input_shape(0);
  const SymShape& indices = ctx.input_shape(1);
  SetLike(ctx, 0, SymShape());
  if (!data.has_rank() || !indices.has_rank()) return Status::Ok();
  const int64_t batch = ctx.attrs().Int("batch_dims", 0);
  if (batch < 0 || indices.rank() < 1 || data.rank() < 1 ||
      batch >= static_cast<int64_t>(std::min(data.rank(), indices.rank()))) {
    return Error(Code::kInvalidArgument, "data {} and indices {} do not have {} batch dimensions",
                 data, indices, batch);
  }
  const auto shared = static_cast<size_t>(batch);
  const Dim& tuple = indices[indices.rank() - 1];
  if (!tuple.known()) return Status::Ok();
  if (tuple.value() < 1 || tuple.value() > static_cast<int64_t>(data.rank() - shared)) {
    return Error(Code::kInvalidArgument, "index tuples of {} values for data {} with {} batch dims",
                 tuple, data, batch);
  }
  std::vector<Dim> out(indices.dims().begin(), indices.dims().end() - 1);
  for (size_t i = 0; i < shared; ++i) {
    WB_ASSIGN_OR_RETURN(out[i], EqualDims(data[i], indices[i]), "batch axis {}", i);
  }
  for (size_t i = shared + static_cast<size_t>(tuple.value()); i < data.rank(); ++i) {
    out.push_back(data[i]);
  }
  SetLike(ctx, 0, SymShape(std::move(out)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
