// ConstantOfShape, EyeLike and OneHot: tensors made from a pattern.
#include <cstring>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

// The fill value as a dim when it is an int32 or int64.
std::optional<Dim> IntFill(const waybill::Tensor* value) {
  if (value == nullptr || value->shape().elems() != 1) return std::nullopt;
  int64_t fill = 0;
  if (value->dtype() == DType::kI64) {
    std::memcpy(&fill, value->view().data, sizeof fill);
  } else if (value->dtype() == DType::kI32) {
    int32_t narrow = 0;
    std::memcpy(&narrow, value->view().data, sizeof narrow);
    fill = narrow;
  } else {
    return std::nullopt;
  }
  return fill < 0 ? Dim() : Dim(fill);
}

}  // namespace

Status InferConstantOfShape(InferContext& ctx) {
  const auto* value = ctx.attrs().Get<waybill::Tensor>("value");
  const DType dtype = value != nullptr ? value->dtype() : DType::kF32;
  SymShape out;
  if (const auto ints = ctx.IntValues(0)) {
    for (const int64_t dim : *ints) {
      if (dim < 0) return Error(Code::kInvalidArgument, "shape {} has a negative dimension", *ints);
    }
  }
  if (auto dims = ctx.SymbolicValues(0)) {
    out = SymShape(std::move(*dims));
  } else if (const auto count = ctx.input_shape(0).Elems(); count && *count <= kMaxTrackedElems) {
    out = UnknownOfRank(static_cast<size_t>(*count));
  }
  const auto elems = out.Elems();
  ctx.SetTensor(0, dtype, std::move(out));
  if (const auto fill = IntFill(value); fill && elems && *elems <= kMaxTrackedElems) {
    ctx.SetContents(0, std::vector<Dim>(static_cast<size_t>(*elems), *fill));
  }
  return Status::Ok();
}

Status InferEyeLike(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (in.has_rank() && in.rank() != 2) {
    return Error(Code::kInvalidArgument, "the input {} must have rank 2", in);
  }
  const int64_t code = ctx.attrs().Int("dtype", 0);
  SymShape out = in.has_rank() ? in : UnknownOfRank(2);
  if (ctx.attrs().Has("dtype") && IsKnownDType(code)) {
    ctx.SetTensor(0, static_cast<DType>(code), std::move(out));
  } else {
    SetLike(ctx, 0, std::move(out));
  }
  return Status::Ok();
}

Status InferOneHot(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, SymShape(), 2);
  const auto depth = NumberOf(ctx, 1);
  if (depth && *depth < 0) return Error(Code::kInvalidArgument, "depth {} is negative", *depth);
  const SymShape& values = ctx.input_shape(2);
  if (const auto count = values.Elems(); count && *count != 2) {
    return Error(Code::kInvalidArgument, "values {} must be [off, on]", values);
  }
  if (!in.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", -1), in.rank() + 1));
  std::vector<Dim> out = in.dims();
  Dim hot;
  if (depth) {
    hot = Dim(*depth);
  } else if (const auto symbols = ctx.SymbolicValues(1); symbols && symbols->size() == 1) {
    hot = symbols->front();
  }
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), hot);
  SetLike(ctx, 0, SymShape(std::move(out)), 2);
  return Status::Ok();
}

}  // namespace waybill::graph::infer
