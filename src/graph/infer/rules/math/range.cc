// Range: the length follows from start, limit and delta where they are known.
#include <cmath>
#include <cstring>

#include "graph/infer/rules/math/contents.h"
#include "graph/infer/rules/math/rules.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::graph::infer {

namespace {

Status ZeroStep() { return Error(Code::kInvalidArgument, "delta is 0"); }

Status SetLength(InferContext& ctx, double length) {
  if (!(length < 0x1p62)) {
    return Error(Code::kInvalidArgument, "a range of {} elements is not possible", length);
  }
  ctx.SetShape(0, SymShape({Dim(length > 0 ? static_cast<int64_t>(length) : 0)}));
  return Status::Ok();
}

std::optional<double> FloatValue(const InferContext& ctx, size_t i) {
  const TensorView* view = ctx.input_values(i);
  if (view == nullptr || view->elems() != 1) return std::nullopt;
  double value = 0;
  const Status status =
      DispatchDType(view->dtype, ConcatTypes<FloatTypes, TypeList<int16_t>>{}, [&]<typename T>() {
        T element;
        std::memcpy(&element, view->data, sizeof(T));
        value = static_cast<double>(element);
        return Status::Ok();
      });
  if (!status.ok()) return std::nullopt;
  return value;
}

Status InferFloatRange(InferContext& ctx) {
  const auto start = FloatValue(ctx, 0), limit = FloatValue(ctx, 1), delta = FloatValue(ctx, 2);
  if (!start || !limit || !delta) return Status::Ok();
  if (*delta == 0) return ZeroStep();
  const double length = std::ceil((*limit - *start) / *delta);
  return SetLength(ctx, std::isnan(length) ? 0 : length);
}

std::optional<Element> IntValue(const InferContext& ctx, size_t i) {
  const auto elements = ElementsOfInput(ctx, i);
  if (!elements || elements->size() != 1) return std::nullopt;
  return (*elements)[0];
}

Status InferIntRange(InferContext& ctx) {
  const auto start = IntValue(ctx, 0), limit = IntValue(ctx, 1), delta = IntValue(ctx, 2);
  if (!start || !limit || !delta) return Status::Ok();
  if (delta->Is(0)) return ZeroStep();
  if (start->Is(0) && delta->Is(1) && limit->symbolic()) {
    ctx.SetShape(0, SymShape({limit->dim}));
    return Status::Ok();
  }
  if (!start->number || !limit->number || !delta->number) return Status::Ok();
  const __int128 span = static_cast<__int128>(*limit->number) - *start->number;
  const __int128 step = *delta->number;
  const __int128 whole = span / step;
  const __int128 length = span % step == 0 || (span < 0) != (step < 0) ? whole : whole + 1;
  WB_RETURN_IF_ERROR(SetLength(ctx, static_cast<double>(length)));
  constexpr int64_t kMaxTold = 64;
  if (length > kMaxTold) return Status::Ok();
  Elements elements;
  for (int64_t i = 0; i < static_cast<int64_t>(length); ++i) {
    // Not beyond the limit, so it fits again.
    elements.push_back(Element::Number(static_cast<int64_t>(*start->number + i * step)));
  }
  TellContents(ctx, elements);
  return Status::Ok();
}

}  // namespace

Status InferRange(InferContext& ctx) {
  for (size_t i = 0; i < 3; ++i) {
    const auto elems = ctx.input_shape(i).has_rank() ? ctx.input_shape(i).Elems() : std::nullopt;
    if (elems && *elems != 1) {
      return Error(Code::kInvalidArgument, "input {} must be a scalar, its shape is {}", i,
                   ctx.input_shape(i));
    }
  }
  ctx.SetShape(0, SymShape(std::vector<Dim>(1)));
  const DType dtype = ctx.input_dtype(0);
  const bool wide_int = dtype == DType::kI64 || dtype == DType::kI32;
  return wide_int ? InferIntRange(ctx) : InferFloatRange(ctx);
}

}  // namespace waybill::graph::infer
