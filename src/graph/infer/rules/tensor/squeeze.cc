// Squeeze and Unsqueeze.
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

// Marks each listed axis of `rank`. Errors: out of range, or listed twice.
Result<std::vector<bool>> MarkAxes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<bool> marked(rank);
  for (const int64_t axis : axes) {
    WB_ASSIGN_OR_RETURN(const size_t i, Axis(axis, rank));
    if (marked[i]) {
      return Error(Code::kInvalidArgument, "axes {} name axis {} twice", axes, i);
    }
    marked[i] = true;
  }
  return marked;
}

}  // namespace

Status InferSqueeze(InferContext& ctx) {
  ForwardContents(ctx);
  const SymShape& in = ctx.input_shape(0);
  const ListArg axes = ListOf(ctx, "axes", 1);
  SetLike(ctx, 0, SymShape());
  if (!in.has_rank()) return Status::Ok();
  std::vector<Dim> out;
  if (axes.values) {
    WB_ASSIGN_OR_RETURN(const std::vector<bool> drop, MarkAxes(*axes.values, in.rank()));
    for (size_t i = 0; i < in.rank(); ++i) {
      if (!drop[i]) {
        out.push_back(in[i]);
      } else if (in[i].known() && in[i].value() != 1) {
        return Error(Code::kInvalidArgument, "axis {} of {} is not 1", i, in);
      }
    }
  } else if (axes.given) {
    if (!axes.count || *axes.count > in.rank()) return Status::Ok();
    out.resize(in.rank() - *axes.count);
  } else {
    for (const Dim& dim : in.dims()) {
      if (!dim.known()) return Status::Ok();
      if (dim.value() != 1) out.push_back(dim);
    }
  }
  SetLike(ctx, 0, SymShape(std::move(out)));
  return Status::Ok();
}

Status InferUnsqueeze(InferContext& ctx) {
  ForwardContents(ctx);
  const SymShape& in = ctx.input_shape(0);
  const ListArg axes = ListOf(ctx, "axes", 1);
  SetLike(ctx, 0, SymShape());
  if (!in.has_rank() || !axes.count || *axes.count > static_cast<size_t>(kMaxTrackedElems)) {
    return Status::Ok();
  }
  const size_t rank = in.rank() + *axes.count;
  std::vector<Dim> out(rank);
  if (axes.values) {
    WB_ASSIGN_OR_RETURN(const std::vector<bool> added, MarkAxes(*axes.values, rank));
    for (size_t i = 0, from = 0; i < rank; ++i) out[i] = added[i] ? Dim(1) : in[from++];
  }
  SetLike(ctx, 0, SymShape(std::move(out)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
