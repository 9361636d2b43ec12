#include "graph/infer/rules/contrib/rules.h"

namespace waybill::graph::infer {

Status InferSkipNormalization(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  if (x.has_rank() && x.rank() == 0) return Error(Code::kInvalidArgument, "input is a scalar");
  ctx.SetTensor(0, ctx.input_dtype(0), x);
  SymShape stats;
  if (x.has_rank()) {
    std::vector<Dim> dims = x.dims();
    dims.back() = Dim(1);
    stats = SymShape(std::move(dims));
  }
  for (size_t i = 1; i <= 2; ++i) {
    if (ctx.has_output(i)) ctx.SetTensor(i, DType::kF32, stats);
  }
  if (ctx.has_output(3)) ctx.SetTensor(3, ctx.input_dtype(0), x);
  return Status::Ok();
}

}  // namespace waybill::graph::infer
