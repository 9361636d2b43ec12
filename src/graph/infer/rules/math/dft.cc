// DFT and STFT.
#include <vector>

#include "graph/infer/rules/math/dft_shape.h"
#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

Result<std::optional<int64_t>> ScalarInput(const InferContext& ctx, size_t i,
                                           std::string_view name) {
  const auto values = ctx.IntValues(i);
  if (!values) return std::optional<int64_t>();
  if (values->size() != 1) {
    return Error(Code::kInvalidArgument, "{} must be a scalar, its shape is {}", name,
                 ctx.input_shape(i));
  }
  return std::optional<int64_t>((*values)[0]);
}

// The transformed axis; nothing while it is not known.
Result<std::optional<size_t>> DftAxis(const InferContext& ctx, size_t rank) {
  std::optional<int64_t> axis = ctx.attrs().Int("axis", 1);
  if (ctx.since_version() >= 20) {
    axis = -2;
    if (ctx.has_input(2)) {
      WB_ASSIGN_OR_RETURN(axis, ScalarInput(ctx, 2, "axis"));
    }
  }
  if (!axis) return std::optional<size_t>();
  WB_ASSIGN_OR_RETURN(const size_t index, Axis(*axis, rank));
  if (index + 1 == rank) {
    return Error(Code::kInvalidArgument, "axis {} is the one of real and imaginary parts", *axis);
  }
  return std::optional<size_t>(index);
}

}  // namespace

Status InferDft(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (!in.has_rank()) return Status::Ok();
  if (in.rank() < 2) return Error(Code::kInvalidArgument, "rank {} is below 2", in.rank());
  const bool onesided = ctx.attrs().Int("onesided") != 0, inverse = ctx.attrs().Int("inverse") != 0;
  const Dim& parts = in[in.rank() - 1];
  if (parts.known() && parts.value() != 1 && parts.value() != 2) {
    return Error(Code::kInvalidArgument, "the last dimension of {} is not 1 or 2", in);
  }
  if (onesided && parts.known() && parts.value() != (inverse ? 2 : 1)) {
    return Error(Code::kInvalidArgument, "a one-sided transform of {} needs {} parts", in,
                 inverse ? 2 : 1);
  }
  std::vector<Dim> dims(in.rank());
  WB_ASSIGN_OR_RETURN(const auto axis, DftAxis(ctx, in.rank()));
  if (axis) {
    for (size_t i = 0; i + 1 < in.rank(); ++i) dims[i] = in[i];
    std::optional<int64_t> length;
    if (ctx.has_input(1)) {
      WB_ASSIGN_OR_RETURN(length, ScalarInput(ctx, 1, "dft_length"));
    } else if (in[*axis].known()) {
      length = DefaultDftLength(in[*axis].value(), inverse, onesided);
    }
    if (length && *length < 1) {
      return Error(Code::kInvalidArgument, "dft_length is {}", *length);
    }
    dims[*axis] = length ? Dim(onesided && !inverse ? *length / 2 + 1 : *length) : Dim();
  }
  dims.back() = Dim(onesided && inverse ? 1 : 2);
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferStft(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  std::vector<Dim> dims(4);
  dims[3] = Dim(2);
  if (in.has_rank()) {
    if (in.rank() != 3) {
      return Error(Code::kInvalidArgument, "signal has shape {}, not [batch, length, parts]", in);
    }
    dims[0] = in[0];
  }
  WB_ASSIGN_OR_RETURN(const auto step, ScalarInput(ctx, 1, "frame_step"));
  std::optional<int64_t> length;
  if (ctx.has_input(3)) {
    WB_ASSIGN_OR_RETURN(length, ScalarInput(ctx, 3, "frame_length"));
  } else if (ctx.has_input(2)) {
    const SymShape& window = ctx.input_shape(2);
    if (window.has_rank() && window.rank() == 1 && window[0].known()) length = window[0].value();
  } else if (in.has_rank() && in[1].known()) {
    length = in[1].value();
  }
  if ((step && *step < 1) || (length && *length < 1)) {
    return Error(Code::kInvalidArgument, "frame_step and frame_length must be positive");
  }
  if (length) dims[2] = Dim(ctx.attrs().Int("onesided", 1) != 0 ? *length / 2 + 1 : *length);
  if (step && length && in.has_rank() && in[1].known()) {
    if (*length > in[1].value()) {
      return Error(Code::kInvalidArgument, "frames of {} in a signal of {}", *length,
                   in[1].value());
    }
    dims[1] = Dim((in[1].value() - *length) / *step + 1);
  }
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
