#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

Status DepthsDiffer(const SymShape& a, const SymShape& b) {
  return Error(Code::kInvalidArgument, "matrices of shapes {} and {} do not multiply", a, b);
}

}  // namespace

Result<SymShape> MatMulShape(const SymShape& a, const SymShape& b) {
  if (!a.has_rank() || !b.has_rank()) return SymShape();
  if (a.rank() == 0 || b.rank() == 0) {
    return Error(Code::kInvalidArgument, "a scalar is no matrix: shapes {} and {}", a, b);
  }
  const Dim& a_depth = a[a.rank() - 1];
  const Dim& b_depth = b[b.rank() == 1 ? 0 : b.rank() - 2];
  if (a_depth.known() && b_depth.known() && a_depth.value() != b_depth.value()) {
    return DepthsDiffer(a, b);
  }
  const auto batch_of = [](const SymShape& s) {
    const size_t count = s.rank() <= 2 ? 0 : s.rank() - 2;
    return SymShape(
        std::vector<Dim>(s.dims().begin(), s.dims().begin() + static_cast<ptrdiff_t>(count)));
  };
  const SymShape a_batch = batch_of(a), b_batch = batch_of(b);
  const SymShape* const both[] = {&a_batch, &b_batch};
  WB_ASSIGN_OR_RETURN(SymShape batch, BroadcastSym(both));
  std::vector<Dim> dims = batch.dims();
  if (a.rank() > 1) dims.push_back(a[a.rank() - 2]);
  if (b.rank() > 1) dims.push_back(b[b.rank() - 1]);
  return SymShape(std::move(dims));
}

Status InferMatMul(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(SymShape out, MatMulShape(ctx.input_shape(0), ctx.input_shape(1)));
  ctx.SetShape(0, std::move(out));
  return Status::Ok();
}

Status InferGemm(InferContext& ctx) {
  const SymShape &a = ctx.input_shape(0), &b = ctx.input_shape(1);
  const bool trans_a = ctx.attrs().Int("transA") != 0, trans_b = ctx.attrs().Int("transB") != 0;
  for (const SymShape* s : {&a, &b}) {
    if (s->has_rank() && s->rank() != 2) {
      return Error(Code::kInvalidArgument, "Gemm takes matrices, got shapes {} and {}", a, b);
    }
  }
  Dim m, n;
  if (a.has_rank()) m = a[trans_a ? 1 : 0];
  if (b.has_rank()) n = b[trans_b ? 0 : 1];
  if (a.has_rank() && b.has_rank()) {
    const Dim &a_depth = a[trans_a ? 0 : 1], &b_depth = b[trans_b ? 1 : 0];
    if (a_depth.known() && b_depth.known() && a_depth.value() != b_depth.value()) {
      return DepthsDiffer(a, b);
    }
  }
  const SymShape& c = ctx.input_shape(2);
  if (c.has_rank()) {
    const Dim* const outer[] = {&n, &m};
    for (size_t i = 0; i < c.rank(); ++i) {
      const Dim& d = c[c.rank() - 1 - i];
      if (!d.known() || d.value() == 1) continue;
      if (i >= 2 || (outer[i]->known() && outer[i]->value() != d.value())) {
        return Error(Code::kInvalidArgument, "C of shape {} does not broadcast to [{}, {}]", c, m,
                     n);
      }
    }
  }
  ctx.SetShape(0, SymShape(std::vector<Dim>{m, n}));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
