// Broadcasting operators, with shape arithmetic on known contents.
#include <vector>

#include "graph/infer/rules/math/contents.h"
#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

bool MayBeOneElement(const SymShape& shape) {
  for (const Dim& dim : shape.dims()) {
    if (dim.known() && dim.value() != 1) return false;
  }
  return true;
}

// Before opset 7: the output has the first operand's shape, and the second one's dimensions are a
// contiguous part of it (or equal to 1).
Status InferLegacyBinary(InferContext& ctx) {
  const SymShape &a = ctx.input_shape(0), &b = ctx.input_shape(1);
  ctx.SetShape(0, a);
  if (!a.has_rank() || !b.has_rank()) return Status::Ok();
  const bool broadcast = ctx.attrs().Int("broadcast") != 0;
  if (!broadcast && a.rank() != b.rank()) {
    return Error(Code::kInvalidArgument, "shapes {} and {} differ and broadcast is 0", a, b);
  }
  if (MayBeOneElement(b)) return Status::Ok();
  const auto rank_a = static_cast<int64_t>(a.rank()), rank_b = static_cast<int64_t>(b.rank());
  int64_t start = rank_a - rank_b;
  if (broadcast && ctx.attrs().Has("axis")) {
    start = ctx.attrs().Int("axis");
    if (start < 0) start += rank_a;
  }
  if (start < 0 || start + rank_b > rank_a) {
    return Error(Code::kInvalidArgument, "shape {} does not fit into {} at axis {}", b, a, start);
  }
  for (int64_t i = 0; i < rank_b; ++i) {
    const Dim& from_a = a[static_cast<size_t>(start + i)];
    const Dim& from_b = b[static_cast<size_t>(i)];
    const bool one = broadcast && from_b.known() && from_b.value() == 1;
    if (from_a.known() && from_b.known() && from_a.value() != from_b.value() && !one) {
      return Error(Code::kInvalidArgument, "shape {} does not fit into {} at axis {}", b, a, start);
    }
  }
  return Status::Ok();
}

Element GreaterElements(const Element& a, const Element& b) { return LessElements(b, a); }

template <Combine kCombine>
Status BinaryWith(InferContext& ctx) {
  WB_RETURN_IF_ERROR(InferBinary(ctx));
  TellCombined(ctx, kCombine);
  return Status::Ok();
}

}  // namespace

Status InferBinary(InferContext& ctx) {
  return ctx.since_version() < 7 ? InferLegacyBinary(ctx) : BroadcastAll(ctx);
}

Status InferAdd(InferContext& ctx) { return BinaryWith<AddElements>(ctx); }
Status InferSub(InferContext& ctx) { return BinaryWith<SubElements>(ctx); }
Status InferMul(InferContext& ctx) { return BinaryWith<MulElements>(ctx); }
Status InferDiv(InferContext& ctx) { return BinaryWith<DivElements>(ctx); }
Status InferEqual(InferContext& ctx) { return BinaryWith<EqualElements>(ctx); }
Status InferLess(InferContext& ctx) { return BinaryWith<LessElements>(ctx); }
Status InferAnd(InferContext& ctx) { return BinaryWith<AndElements>(ctx); }
Status InferOr(InferContext& ctx) { return BinaryWith<OrElements>(ctx); }
Status InferGreater(InferContext& ctx) { return BinaryWith<GreaterElements>(ctx); }

Status InferMod(InferContext& ctx) {
  WB_RETURN_IF_ERROR(BroadcastAll(ctx));
  TellCombined(ctx, ModElements);
  return Status::Ok();
}
Status InferMin(InferContext& ctx) {
  WB_RETURN_IF_ERROR(BroadcastAll(ctx));
  TellFolded(ctx, MinElements);
  return Status::Ok();
}
Status InferMax(InferContext& ctx) {
  WB_RETURN_IF_ERROR(BroadcastAll(ctx));
  TellFolded(ctx, MaxElements);
  return Status::Ok();
}

Status InferWhere(InferContext& ctx) {
  WB_RETURN_IF_ERROR(BroadcastAll(ctx));
  const auto condition = ElementsOfInput(ctx, 0);
  const auto x = ElementsOfInput(ctx, 1), y = ElementsOfInput(ctx, 2);
  const auto count = ctx.output(0).shape.Elems();
  if (!condition || !x || !y || !count) return Status::Ok();
  const auto pick = [](const Elements& from, size_t i) {
    return from.size() == 1 ? from[0] : i < from.size() ? from[i] : Element::Unknown();
  };
  Elements out;
  for (size_t i = 0; i < static_cast<size_t>(*count); ++i) {
    const Element chosen = pick(*condition, i);
    out.push_back(!chosen.number ? Element::Unknown() : pick(*chosen.number != 0 ? *x : *y, i));
  }
  TellContents(ctx, out);
  return Status::Ok();
}

Status InferSameContents(InferContext& ctx) {
  WB_RETURN_IF_ERROR(SameShapeAsFirst(ctx));
  if (const auto elements = ElementsOfInput(ctx, 0)) TellContents(ctx, *elements);
  return Status::Ok();
}

Status InferNeg(InferContext& ctx) {
  WB_RETURN_IF_ERROR(SameShapeAsFirst(ctx));
  auto elements = ElementsOfInput(ctx, 0);
  if (!elements) return Status::Ok();
  for (Element& element : *elements) element = SubElements(Element::Number(0), element);
  TellContents(ctx, *elements);
  return Status::Ok();
}

Status InferNot(InferContext& ctx) {
  WB_RETURN_IF_ERROR(SameShapeAsFirst(ctx));
  auto elements = ElementsOfInput(ctx, 0);
  if (!elements) return Status::Ok();
  for (Element& element : *elements) {
    if (element.number) element = Element::Number(*element.number == 0 ? 1 : 0);
  }
  TellContents(ctx, *elements);
  return Status::Ok();
}

Status InferPRelu(InferContext& ctx) {
  const SymShape &x = ctx.input_shape(0), &slope = ctx.input_shape(1);
  ctx.SetShape(0, x);
  if (!x.has_rank() || !slope.has_rank()) return Status::Ok();
  if (ctx.since_version() < 7) {
    if (MayBeOneElement(slope)) return Status::Ok();
    const bool fits =
        slope.rank() == 1 && x.rank() >= 1 &&
        (x.rank() == 1 || !x[1].known() || !slope[0].known() || x[1].value() == slope[0].value());
    if (fits) return Status::Ok();
    return Error(Code::kInvalidArgument, "slope {} does not fit the channels of {}", slope, x);
  }
  const SymShape* shapes[] = {&x, &slope};
  WB_ASSIGN_OR_RETURN(const SymShape both, BroadcastSym(shapes));
  bool grows = both.rank() != x.rank();
  for (size_t i = 0; i < x.rank() && !grows; ++i) {
    grows = x[i].known() && both[i].known() && x[i].value() != both[i].value();
  }
  if (!grows) return Status::Ok();
  return Error(Code::kInvalidArgument, "slope {} does not broadcast to {}", slope, x);
}

}  // namespace waybill::graph::infer
