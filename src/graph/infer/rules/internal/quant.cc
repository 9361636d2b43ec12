#include <array>

#include "graph/infer/rules/internal/rules.h"
#include "graph/infer/rules/nn/rules.h"
#include "graph/infer/rules/quant/rules.h"

namespace waybill::graph::infer {

namespace {

// [N, spatial..., C] to [N, C, spatial...] and back.
SymShape MoveChannels(const SymShape& shape, bool to_last) {
  if (!shape.has_rank() || shape.rank() < 3) return shape;
  std::vector<Dim> dims = shape.dims();
  if (to_last) {
    dims.push_back(dims[1]);
    dims.erase(dims.begin() + 1);
  } else {
    dims.insert(dims.begin() + 1, dims.back());
    dims.pop_back();
  }
  return SymShape(std::move(dims));
}

}  // namespace

Status InferInternalQLinearConv(InferContext& ctx) {
  if (ctx.attrs().Int("channels_last") == 0) return InferQLinearConv(ctx);
  std::vector<InputFact> facts(ctx.num_inputs());
  for (size_t i = 0; i < facts.size(); ++i) {
    if (ctx.has_input(i)) facts[i].type = &ctx.input_type(i);
  }
  ValueType x;
  if (ctx.has_input(0)) {
    x = ctx.input_type(0);
    x.shape = MoveChannels(x.shape, false);
    facts[0].type = &x;
  }
  InferContext inner(ctx.node(), facts, ctx.outputs());
  WB_RETURN_IF_ERROR(InferQLinearConv(inner));
  ctx.SetTensor(0, ctx.input_dtype(7), MoveChannels(inner.output(0).shape, true));
  return Status::Ok();
}

Status InferQLinearGemm(InferContext& ctx) {
  SymShape b = ctx.input_shape(3);
  if (b.has_rank() && b.rank() != 2) {
    return Error(Code::kInvalidArgument, "B has shape {}, it is no matrix", b);
  }
  if (b.has_rank() && ctx.attrs().Int("transB") != 0) b = SymShape(std::vector<Dim>{b[1], b[0]});
  WB_ASSIGN_OR_RETURN(SymShape shape, MatMulShape(ctx.input_shape(0), b));
  ctx.SetTensor(0, ctx.input_dtype(7), std::move(shape));
  return Status::Ok();
}

Status InferQLinearAdd(InferContext& ctx) {
  const SymShape* const both[] = {&ctx.input_shape(0), &ctx.input_shape(3)};
  WB_ASSIGN_OR_RETURN(SymShape shape, BroadcastSym(both));
  ctx.SetTensor(0, ctx.input_dtype(7), std::move(shape));
  return Status::Ok();
}

Status InferQLinearGlobalAveragePool(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  ctx.SetTensor(0, ctx.input_dtype(4), SymShape());
  if (!x.has_rank()) return Status::Ok();
  if (x.rank() < 3) return Error(Code::kInvalidArgument, "{} has no spatial axes", x);
  std::vector<Dim> dims(x.rank(), Dim(1));
  const size_t channel = ctx.attrs().Int("channels_last") != 0 ? x.rank() - 1 : 1;
  dims[0] = x[0];
  dims[channel] = x[channel];
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
