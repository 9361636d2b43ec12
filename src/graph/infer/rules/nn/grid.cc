#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

Status InferGridSample(InferContext& ctx) {
  const SymShape &x = ctx.input_shape(0), &grid = ctx.input_shape(1);
  if (!grid.has_rank()) return Status::Ok();
  const size_t rank = grid.rank();
  const bool bad_rank = rank < 3 || (x.has_rank() && x.rank() != rank);
  if (bad_rank ||
      (grid[rank - 1].known() && grid[rank - 1].value() != static_cast<int64_t>(rank) - 2)) {
    return Error(Code::kInvalidArgument, "X of shape {} and grid of shape {} do not fit", x, grid);
  }
  std::vector<Dim> dims(rank);
  dims[0] = grid[0];
  if (x.has_rank()) {
    if (x[0].known()) dims[0] = x[0];
    if (x[0].known() && grid[0].known() && x[0].value() != grid[0].value()) {
      return Error(Code::kInvalidArgument, "X of shape {} and grid of shape {} do not fit", x,
                   grid);
    }
    dims[1] = x[1];
  }
  for (size_t i = 2; i < rank; ++i) dims[i] = grid[i - 1];
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferAffineGrid(InferContext& ctx) {
  const auto size = ctx.SymbolicValues(1);
  if (!size) {
    if (const auto numbers = ctx.IntValues(1)) {
      return Error(Code::kInvalidArgument, "size is {}", *numbers);
    }
    return Status::Ok();
  }
  if (size->size() != 4 && size->size() != 5) {
    return Error(Code::kInvalidArgument, "size has {} entries, expected 4 or 5", size->size());
  }
  std::vector<Dim> dims = {(*size)[0]};
  dims.insert(dims.end(), size->begin() + 2, size->end());
  dims.emplace_back(static_cast<int64_t>(size->size()) - 2);
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
