// Operators that pick elements by their values: TopK, and Compress, NonZero and Unique, whose
// result size depends on the data.
#include <algorithm>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferTopK(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const auto set = [&ctx](SymShape shape) {
    SetLike(ctx, 0, shape);
    ctx.SetTensor(1, DType::kI64, std::move(shape));
  };
  set(SymShape());
  if (!in.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", -1), in.rank()));
  Dim k;
  if (ctx.attrs().Has("k")) {
    k = Dim(std::max<int64_t>(ctx.attrs().Int("k"), -1));
  } else if (const auto number = NumberOf(ctx, 1)) {
    if (*number < 0) return Error(Code::kInvalidArgument, "k is {}, which is negative", *number);
    k = Dim(*number);
  } else if (const auto symbols = ctx.SymbolicValues(1); symbols && symbols->size() == 1) {
    k = symbols->front();
  }
  if (k.known() && in[axis].known() && k.value() > in[axis].value()) {
    return Error(Code::kInvalidArgument, "k is {}, but axis {} of {} has {} elements", k, axis, in,
                 in[axis]);
  }
  SymShape out = in;
  out[axis] = k;
  set(std::move(out));
  return Status::Ok();
}

Status InferCompress(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const bool flat = !ctx.attrs().Has("axis");
  SetLike(ctx, 0, flat ? UnknownOfRank(1) : SymShape());
  if (!in.has_rank()) return Status::Ok();
  size_t axis = 0;
  SymShape out = UnknownOfRank(1);
  if (!flat) {
    WB_ASSIGN_OR_RETURN(axis, Axis(ctx.attrs().Int("axis"), in.rank()));
    out = in;
    out[axis] = Dim();
  }
  const TensorView* condition = ctx.input_values(1);
  if (condition != nullptr && condition->dtype == DType::kBool) {
    const auto flags = condition->span<const uint8_t>();
    const auto limit = flat               ? in.Elems()
                       : in[axis].known() ? std::optional(in[axis].value())
                                          : std::nullopt;
    if (limit && static_cast<int64_t>(flags.size()) <= *limit) {
      out[axis] = Dim(std::count_if(flags.begin(), flags.end(), [](uint8_t f) { return f != 0; }));
    } else if (limit) {
      return Error(Code::kInvalidArgument, "the condition has {} values for {} elements",
                   flags.size(), *limit);
    }
  }
  SetLike(ctx, 0, std::move(out));
  return Status::Ok();
}

Status InferNonZero(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SymShape out = UnknownOfRank(2);
  // A scalar counts as one dimension, as in numpy.
  if (in.has_rank()) out[0] = Dim(std::max<int64_t>(1, static_cast<int64_t>(in.rank())));
  if (const auto elems = in.Elems(); elems && *elems == 0) out[1] = Dim(0);
  ctx.SetTensor(0, DType::kI64, std::move(out));
  return Status::Ok();
}

Status InferUnique(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const bool flat = !ctx.attrs().Has("axis");
  SymShape unique = flat ? UnknownOfRank(1) : SymShape();
  Dim all;
  if (in.has_rank() && !flat) {
    WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis"), in.rank()));
    unique = in;
    all = in[axis];
    unique[axis] = Dim();
  } else if (in.has_rank()) {
    WB_ASSIGN_OR_RETURN(all, ProductOf(in, 0, in.rank()));
  }
  SetLike(ctx, 0, std::move(unique));
  ctx.SetTensor(1, DType::kI64, UnknownOfRank(1));
  ctx.SetTensor(2, DType::kI64, SymShape(std::vector<Dim>{all}));
  ctx.SetTensor(3, DType::kI64, UnknownOfRank(1));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
