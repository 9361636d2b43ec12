#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferTranspose(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const std::vector<int64_t> perm = ctx.attrs().Ints("perm");
  const bool given = ctx.attrs().Has("perm");
  if (!in.has_rank()) {
    SetLike(ctx, 0, given ? UnknownOfRank(perm.size()) : SymShape());
    return Status::Ok();
  }
  const size_t rank = in.rank();
  std::vector<Dim> out(rank);
  if (given) {
    std::vector<bool> used(rank);
    for (size_t i = 0; i < perm.size() && perm.size() == rank; ++i) {
      WB_ASSIGN_OR_RETURN(const size_t from, Axis(perm[i], rank), "perm {}", perm);
      used[from] = true;
      out[i] = in[from];
    }
    if (used != std::vector<bool>(rank, true) || perm.size() != rank) {
      return Error(Code::kInvalidArgument, "perm {} is no permutation of {} axes", perm, rank);
    }
  } else {
    for (size_t i = 0; i < rank; ++i) out[i] = in[rank - 1 - i];
  }
  SetLike(ctx, 0, SymShape(std::move(out)));
  if (rank <= 1) ForwardContents(ctx);
  return Status::Ok();
}

}  // namespace waybill::graph::infer
