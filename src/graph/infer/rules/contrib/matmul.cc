#include <utility>

#include "graph/infer/rules/contrib/rules.h"
#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

// The shape that MatMul would see: the batch in front, the matrix not transposed.
SymShape AsMatrices(const SymShape& shape, bool trans_batch, bool trans) {
  if (!shape.has_rank() || shape.rank() < 2) return shape;
  std::vector<Dim> dims = shape.dims();
  const size_t rank = dims.size();
  if (trans_batch) {
    const Dim rows = dims[0];
    dims.erase(dims.begin());
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(rank) - 2, rows);
  }
  if (trans) std::swap(dims[rank - 1], dims[rank - 2]);
  return SymShape(std::move(dims));
}

}  // namespace

Status InferFusedMatMul(InferContext& ctx) {
  const Attributes& attrs = ctx.attrs();
  WB_ASSIGN_OR_RETURN(
      SymShape out,
      MatMulShape(
          AsMatrices(ctx.input_shape(0), attrs.Int("transBatchA") != 0, attrs.Int("transA") != 0),
          AsMatrices(ctx.input_shape(1), attrs.Int("transBatchB") != 0, attrs.Int("transB") != 0)));
  ctx.SetTensor(0, ctx.input_dtype(0), std::move(out));
  return Status::Ok();
}

Status InferIntegerMatMul(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(SymShape out, MatMulShape(ctx.input_shape(0), ctx.input_shape(1)));
  // Both have the type of their scales, which is input 2.
  ctx.SetTensor(0, ctx.input_dtype(2), std::move(out));
  return Status::Ok();
}

Status InferMsFusedConv(InferContext& ctx) {
  if (ctx.num_outputs() > 0) ctx.SetTensor(0, ctx.input_dtype(0), SymShape());
  return InferConv(ctx);
}

}  // namespace waybill::graph::infer
