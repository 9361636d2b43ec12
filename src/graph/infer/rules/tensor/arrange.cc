// ReverseSequence, Trilu and CenterCropPad.
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferReverseSequence(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, in);
  if (!in.has_rank()) return Status::Ok();
  const int64_t batch = ctx.attrs().Int("batch_axis", 1), time = ctx.attrs().Int("time_axis", 0);
  if (in.rank() < 2 || batch + time != 1 || (batch != 0 && batch != 1)) {
    return Error(Code::kInvalidArgument,
                 "batch_axis {} and time_axis {} must be 0 and 1 of an input of rank 2 or more, "
                 "not {}",
                 batch, time, in);
  }
  const SymShape& lens = ctx.input_shape(1);
  if (lens.has_rank()) {
    if (lens.rank() != 1) {
      return Error(Code::kInvalidArgument, "sequence_lens {} must have rank 1", lens);
    }
    WB_RETURN_IF_ERROR(EqualDims(lens[0], in[static_cast<size_t>(batch)]).status(),
                       "sequence_lens and the batch axis");
  }
  return Status::Ok();
}

Status InferTrilu(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, in);
  if (in.has_rank() && in.rank() < 2) {
    return Error(Code::kInvalidArgument, "the input {} must have rank 2 or more", in);
  }
  return Status::Ok();
}

Status InferCenterCropPad(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, in.has_rank() ? UnknownOfRank(in.rank()) : SymShape());
  if (!in.has_rank()) return Status::Ok();
  const bool some = ctx.attrs().Has("axes");
  std::vector<int64_t> axes = ctx.attrs().Ints("axes");
  if (!some) {
    for (size_t i = 0; i < in.rank(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (const auto ints = ctx.IntValues(1)) {
    for (const int64_t dim : *ints) {
      if (dim < 0) return Error(Code::kInvalidArgument, "shape {} has a negative dimension", *ints);
    }
  }
  const auto wanted = ctx.SymbolicValues(1);
  if (wanted && wanted->size() != axes.size()) {
    return Error(Code::kInvalidArgument, "{} sizes for {} axes", wanted->size(), axes.size());
  }
  SymShape out = in;
  for (size_t i = 0; i < axes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, Axis(axes[i], in.rank()));
    out[axis] = wanted ? (*wanted)[i] : Dim();
  }
  SetLike(ctx, 0, std::move(out));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
