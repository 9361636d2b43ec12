#include "graph/infer/rules/internal/rules.h"
#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

SymShape ToFirst(SymShape shape) {
  if (!shape.has_rank() || shape.rank() < 2) return shape;
  std::vector<Dim> dims = shape.dims();
  dims.insert(dims.begin() + 1, dims.back());
  dims.pop_back();
  return SymShape(std::move(dims));
}

SymShape ToLast(SymShape shape) {
  if (!shape.has_rank() || shape.rank() < 2) return shape;
  std::vector<Dim> dims = shape.dims();
  dims.push_back(dims[1]);
  dims.erase(dims.begin() + 1);
  return SymShape(std::move(dims));
}

// Asks `rule` about input 0 and output 0 with their channels where ONNX has them.
Status Around(InferContext& ctx, bool channels_last, InferFn rule) {
  ctx.SetTensor(0, ctx.input_dtype(0), SymShape());
  if (!channels_last) return rule(ctx);
  std::vector<InputFact> facts(ctx.num_inputs());
  for (size_t i = 0; i < facts.size(); ++i) {
    if (ctx.has_input(i)) facts[i].type = &ctx.input_type(i);
  }
  ValueType x;
  if (ctx.has_input(0)) {
    x = ctx.input_type(0);
    x.shape = ToFirst(x.shape);
    facts[0].type = &x;
  }
  InferContext inner(ctx.node(), facts, ctx.outputs());
  WB_RETURN_IF_ERROR(rule(inner));
  ctx.SetShape(0, ToLast(inner.output(0).shape));
  return Status::Ok();
}

bool ChannelsLast(const InferContext& ctx) { return ctx.attrs().Int("channels_last") != 0; }

}  // namespace

Status InferInternalConv(InferContext& ctx) { return Around(ctx, ChannelsLast(ctx), InferConv); }

Status InferInternalConvTranspose(InferContext& ctx) {
  return Around(ctx, ChannelsLast(ctx), InferConvTranspose);
}

Status InferInternalPool(InferContext& ctx) { return Around(ctx, true, InferPool); }

Status InferInternalLrn(InferContext& ctx) { return Around(ctx, true, InferChannelNormalization); }

}  // namespace waybill::graph::infer
