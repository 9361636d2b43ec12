#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

Status CheckVector(const InferContext& ctx, size_t input, const Dim& channels) {
  const SymShape& s = ctx.input_shape(input);
  if (!s.has_rank()) return Status::Ok();
  if (s.rank() != 1 || (s[0].known() && channels.known() && s[0].value() != channels.value())) {
    return Error(Code::kInvalidArgument, "input {} has shape {}, expected [{}]", input, s,
                 channels);
  }
  return Status::Ok();
}

Status CheckChannels(const SymShape& x) {
  if (!x.has_rank() || x.rank() >= 2) return Status::Ok();
  return Error(Code::kInvalidArgument, "input of shape {} has no channels", x);
}

}  // namespace

Status InferBatchNormalization(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  ctx.SetShape(0, x);
  Dim channels;
  if (x.has_rank()) {
    if (x.rank() == 0) return Error(Code::kInvalidArgument, "input is a scalar");
    channels = x.rank() == 1 ? Dim(1) : x[1];
  }
  const bool spatial = ctx.attrs().Int("spatial", 1) != 0;
  if (spatial) {
    for (size_t i = 1; i < 5; ++i) WB_RETURN_IF_ERROR(CheckVector(ctx, i, channels));
  } else if (x.has_rank()) {
    // Statistics per element of a sample: [C, D1, ..., Dn].
    const auto sample = SymShape(std::vector<Dim>(x.dims().begin() + 1, x.dims().end()));
    for (size_t i = 1; i < 5; ++i) {
      const SymShape& s = ctx.input_shape(i);
      if (s.Elems() && sample.Elems() && *s.Elems() != *sample.Elems()) {
        return Error(Code::kInvalidArgument, "input {} has shape {}, a sample has {}", i, s,
                     sample);
      }
    }
  }
  for (size_t i = 1; i < ctx.num_outputs(); ++i) {
    const SymShape& mean = ctx.input_shape(3);
    ctx.SetShape(i, mean.has_rank() ? mean : SymShape(std::vector<Dim>{channels}));
  }
  return Status::Ok();
}

Status InferLayerNormalization(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  ctx.SetShape(0, x);
  if (ctx.num_outputs() > 0 && ctx.output(0).dtype == DType::kUndefined) {
    ctx.SetTensor(0, ctx.input_dtype(0), x);
  }
  SymShape stats;
  if (x.has_rank()) {
    WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", -1), x.rank()));
    std::vector<Dim> dims = x.dims();
    for (size_t i = axis; i < dims.size(); ++i) dims[i] = Dim(1);
    stats = SymShape(std::move(dims));
    for (size_t i = 1; i < ctx.num_inputs(); ++i) {
      const SymShape& s = ctx.input_shape(i);
      if (!s.has_rank()) continue;
      const SymShape* const both[] = {&x, &s};
      WB_ASSIGN_OR_RETURN(const SymShape together, BroadcastSym(both), "input {}", i);
      if (together.rank() != x.rank() || (x.Elems() && together.Elems() != x.Elems())) {
        return Error(Code::kInvalidArgument, "input {} of shape {} does not broadcast to {}", i, s,
                     x);
      }
    }
  }
  const DType stash = ctx.attrs().Int("stash_type", 1) == 16 ? DType::kBF16 : DType::kF32;
  for (size_t i = 1; i < ctx.num_outputs(); ++i) {
    if (ctx.has_output(i)) ctx.SetTensor(i, stash, stats);
  }
  return Status::Ok();
}

Status InferChannelNormalization(InferContext& ctx) {
  WB_RETURN_IF_ERROR(CheckChannels(ctx.input_shape(0)));
  return SameShapeAsFirst(ctx);
}

Status InferDropout(InferContext& ctx) {
  ctx.SetShape(0, ctx.input_shape(0));
  // The mask is bool since version 10, of the data's type before.
  if (ctx.num_outputs() > 1) {
    ctx.SetTensor(1, ctx.since_version() >= 10 ? DType::kBool : ctx.input_dtype(0),
                  ctx.input_shape(0));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
