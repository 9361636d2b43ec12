// Shape and Size: where shape arithmetic begins.
#include <algorithm>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferShape(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (!in.has_rank()) {
    ctx.SetTensor(0, DType::kI64, UnknownOfRank(1));
    return Status::Ok();
  }
  const auto rank = static_cast<int64_t>(in.rank());
  const auto clamp = [rank](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank);
  };
  const int64_t start = clamp(ctx.attrs().Int("start", 0));
  const int64_t end = std::max(start, clamp(ctx.attrs().Int("end", rank)));
  ctx.SetTensor(0, DType::kI64, SymShape(std::vector<Dim>{Dim(end - start)}));
  ctx.SetContents(0, std::vector<Dim>(in.dims().begin() + start, in.dims().begin() + end));
  return Status::Ok();
}

Status InferSize(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  ctx.SetTensor(0, DType::kI64, SymShape(Shape()));
  if (!in.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const Dim elems, ProductOf(in, 0, in.rank()));
  ctx.SetContents(0, {elems});
  return Status::Ok();
}

}  // namespace waybill::graph::infer
