// Reductions, ArgMax and ArgMin, softmax and running sums: rules about axes.
#include <vector>

#include "graph/infer/rules/math/contents.h"
#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

// The reduced axes as a mask; nothing when they are not known. `nothing` says no axis is reduced.
Result<std::optional<std::vector<bool>>> ReducedAxes(InferContext& ctx, size_t rank) {
  std::vector<int64_t> axes = ctx.attrs().Ints("axes");
  if (ctx.has_input(1)) {
    const auto values = ctx.IntValues(1);
    if (!values) return std::optional<std::vector<bool>>();
    axes = *values;
  }
  if (axes.empty()) {
    const bool noop = ctx.attrs().Int("noop_with_empty_axes") != 0;
    return std::optional(std::vector<bool>(rank, !noop));
  }
  std::vector<bool> mask(rank, false);
  for (const int64_t axis : axes) {
    WB_ASSIGN_OR_RETURN(const size_t index, Axis(axis, rank));
    mask[index] = true;
  }
  return std::optional(std::move(mask));
}

SymShape ReducedShape(const SymShape& in, const std::vector<bool>& mask, bool keepdims) {
  std::vector<Dim> dims;
  for (size_t i = 0; i < in.rank(); ++i) {
    if (!mask[i]) {
      dims.push_back(in[i]);
    } else if (keepdims) {
      dims.emplace_back(1);
    }
  }
  return SymShape(std::move(dims));
}

template <Combine kCombine>
Status ReduceWith(InferContext& ctx) {
  WB_RETURN_IF_ERROR(InferReduce(ctx));
  const auto elements = ElementsOfInput(ctx, 0);
  if (!elements || elements->empty() || ctx.output(0).shape.Elems() != 1) return Status::Ok();
  Element total = (*elements)[0];
  for (size_t i = 1; i < elements->size(); ++i) total = kCombine(total, (*elements)[i]);
  TellContents(ctx, {total});
  return Status::Ok();
}

}  // namespace

Status InferReduce(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (!in.has_rank()) return Status::Ok();
  const bool keepdims = ctx.attrs().Int("keepdims", 1) != 0;
  WB_ASSIGN_OR_RETURN(const auto mask, ReducedAxes(ctx, in.rank()));
  if (mask) {
    ctx.SetShape(0, ReducedShape(in, *mask, keepdims));
  } else if (keepdims) {
    ctx.SetShape(0, SymShape(std::vector<Dim>(in.rank())));
  }
  return Status::Ok();
}

Status InferReduceSum(InferContext& ctx) { return ReduceWith<AddElements>(ctx); }
Status InferReduceProd(InferContext& ctx) { return ReduceWith<MulElements>(ctx); }
Status InferReduceMax(InferContext& ctx) { return ReduceWith<MaxElements>(ctx); }
Status InferReduceMin(InferContext& ctx) { return ReduceWith<MinElements>(ctx); }

Status InferArg(InferContext& ctx) {
  ctx.SetTensor(0, DType::kI64, SymShape());
  const SymShape& in = ctx.input_shape(0);
  if (!in.has_rank()) return Status::Ok();
  if (in.rank() == 0) {
    ctx.SetShape(0, in);
    return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis"), in.rank()));
  std::vector<bool> mask(in.rank(), false);
  mask[axis] = true;
  ctx.SetShape(0, ReducedShape(in, mask, ctx.attrs().Int("keepdims", 1) != 0));
  return Status::Ok();
}

Status InferCumulative(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  ctx.SetShape(0, in);
  const auto axis = ctx.IntValues(1);
  if (in.has_rank() && axis && axis->size() == 1) {
    WB_RETURN_IF_ERROR(Axis((*axis)[0], in.rank()).status());
  }
  return Status::Ok();
}

Status InferSoftmax(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  ctx.SetShape(0, in);
  if (!in.has_rank() || in.rank() == 0) return Status::Ok();
  const int64_t axis = ctx.attrs().Int("axis");
  const bool behind = ctx.since_version() < 13 && axis == static_cast<int64_t>(in.rank());
  return behind ? Status::Ok() : Axis(axis, in.rank()).status();
}

}  // namespace waybill::graph::infer
