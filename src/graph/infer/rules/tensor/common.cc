#include "graph/infer/rules/tensor/common.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/dtype/dispatch.h"

namespace waybill::graph::infer {

SymShape UnknownOfRank(size_t rank) { return SymShape(std::vector<Dim>(rank)); }

Result<Dim> EqualDims(const Dim& a, const Dim& b) {
  if (a.known() && b.known() && a.value() != b.value()) {
    return Error(Code::kInvalidArgument, "dimensions {} and {} differ", a, b);
  }
  if (a.known()) return a;
  if (b.known()) return b;
  return a.symbolic() ? a : b;
}

void SetLike(InferContext& ctx, size_t i, SymShape shape, size_t like) {
  const DType dtype = ctx.input_dtype(like);
  if (dtype == DType::kUndefined) {
    ctx.SetShape(i, std::move(shape));
  } else {
    ctx.SetTensor(i, dtype, std::move(shape));
  }
}

ListArg ListOf(const InferContext& ctx, std::string_view name, size_t input) {
  ListArg arg;
  if (!name.empty() && ctx.attrs().Has(name)) {
    arg.given = true;
    arg.values = ctx.attrs().Ints(name);
  } else if (ctx.has_input(input)) {
    arg.given = true;
    arg.values = ctx.IntValues(input);
    const auto elems = ctx.input_shape(input).Elems();
    if (!arg.values && elems) arg.count = static_cast<size_t>(*elems);
  }
  if (arg.values) arg.count = arg.values->size();
  return arg;
}

std::optional<int64_t> NumberOf(const InferContext& ctx, size_t input) {
  if (const auto ints = ctx.IntValues(input)) {
    if (ints->size() == 1) return ints->front();
    return std::nullopt;
  }
  const TensorView* view = ctx.input_values(input);
  if (view == nullptr || view->elems() != 1) return std::nullopt;
  std::optional<int64_t> out;
  const Status status = DispatchDType(view->dtype, NumericTypes{}, [&]<typename T>() {
    T value;
    std::memcpy(&value, view->data, sizeof(T));
    const auto wide = static_cast<double>(value);
    if (wide >= 0x1p63) {
      out = std::numeric_limits<int64_t>::max();
    } else if (wide < -0x1p63) {
      out = std::numeric_limits<int64_t>::min();
    } else if (!std::isnan(wide)) {
      out = static_cast<int64_t>(wide);
    }
    return Status::Ok();
  });
  return status.ok() ? out : std::nullopt;
}

std::optional<std::vector<Dim>> ContentsOf(const InferContext& ctx, size_t i) {
  if (auto dims = ctx.SymbolicValues(i)) {
    if (static_cast<int64_t>(dims->size()) <= kMaxTrackedElems) return dims;
    return std::nullopt;
  }
  const auto ints = ctx.IntValues(i);
  if (!ints) return std::nullopt;
  std::vector<Dim> dims;
  for (const int64_t value : *ints) dims.push_back(value < 0 ? Dim() : Dim(value));
  return dims;
}

std::optional<std::vector<Dim>> ContentsOfList(const InferContext& ctx, size_t i) {
  const SymShape& shape = ctx.input_shape(i);
  if (!shape.has_rank() || shape.rank() != 1) return std::nullopt;
  return ContentsOf(ctx, i);
}

void ForwardContents(InferContext& ctx) {
  if (auto contents = ContentsOf(ctx, 0)) ctx.SetContents(0, std::move(*contents));
}

}  // namespace waybill::graph::infer
