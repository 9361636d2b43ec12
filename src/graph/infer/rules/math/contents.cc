#include "graph/infer/rules/math/contents.h"

#include <algorithm>
#include <cstdint>

#include "base/math/checked.h"

namespace waybill::graph::infer {

namespace {

constexpr size_t kMaxElements = 64;  // longer integer tensors are data, not shapes

std::optional<Elements> FromBools(const InferContext& ctx, size_t i) {
  const TensorView* view = ctx.input_values(i);
  if (view == nullptr || view->elems() > static_cast<int64_t>(kMaxElements)) return std::nullopt;
  Elements out;
  for (int64_t k = 0; k < view->elems(); ++k) {
    out.push_back(Element::Number(std::to_integer<int>(view->data[k]) != 0 ? 1 : 0));
  }
  return out;
}

bool BothKnown(const Element& a, const Element& b) { return a.number && b.number; }
bool SameSymbol(const Element& a, const Element& b) {
  return a.symbolic() && b.symbolic() && a.dim.SameAs(b.dim);
}
Element Checked(std::optional<int64_t> value) {
  return value ? Element::Number(*value) : Element::Unknown();
}

bool HoldsInts(DType dtype) {
  return dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kBool;
}

}  // namespace

std::optional<Elements> ElementsOfInput(const InferContext& ctx, size_t i) {
  if (!ctx.has_input(i) || !HoldsInts(ctx.input_dtype(i))) return std::nullopt;
  const SymShape& shape = ctx.input_shape(i);
  if (!shape.has_rank() || shape.rank() > 1) return std::nullopt;
  Elements out;
  if (const auto ints = ctx.IntValues(i)) {
    for (const int64_t value : *ints) out.push_back(Element::Number(value));
  } else if (const auto dims = ctx.SymbolicValues(i)) {
    for (const Dim& dim : *dims) out.push_back(Element::Of(dim));
  } else if (ctx.input_dtype(i) == DType::kBool) {
    return FromBools(ctx, i);
  } else {
    return std::nullopt;
  }
  if (out.size() > kMaxElements) return std::nullopt;
  return out;
}

void TellContents(InferContext& ctx, const Elements& elements) {
  if (ctx.num_outputs() == 0 || !HoldsInts(ctx.output(0).dtype)) return;
  std::vector<Dim> dims;
  bool any = false;
  for (const Element& element : elements) {
    if (element.number && *element.number < 0) return;
    if (element.number && ctx.output(0).dtype == DType::kI32 && *element.number > INT32_MAX) return;
    any = any || element.number || element.symbolic();
    dims.push_back(element.number ? Dim(*element.number) : element.dim);
  }
  if (any || dims.empty()) ctx.SetContents(0, std::move(dims));
}

namespace {

// Elementwise with one of the two repeated where it has one element.
std::optional<Elements> CombineAll(const Elements& a, const Elements& b, Combine combine) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return std::nullopt;
  const size_t count = a.size() == 1 ? b.size() : a.size();
  Elements out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(combine(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  }
  return out;
}

}  // namespace

void TellFolded(InferContext& ctx, Combine combine) {
  if (ctx.num_inputs() == 0) return;
  auto elements = ElementsOfInput(ctx, 0);
  for (size_t i = 1; i < ctx.num_inputs() && elements; ++i) {
    const auto next = ElementsOfInput(ctx, i);
    if (!next) return;
    elements = CombineAll(*elements, *next, combine);
  }
  if (elements) TellContents(ctx, *elements);
}

void TellCombined(InferContext& ctx, Combine combine) { TellFolded(ctx, combine); }

Element AddElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) return Checked(CheckedAdd(*a.number, *b.number));
  if (a.Is(0)) return b;
  if (b.Is(0)) return a;
  return Element::Unknown();
}

Element SubElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) {
    int64_t out = 0;
    if (__builtin_sub_overflow(*a.number, *b.number, &out)) return Element::Unknown();
    return Element::Number(out);
  }
  if (b.Is(0)) return a;
  if (SameSymbol(a, b)) return Element::Number(0);
  return Element::Unknown();
}

Element MulElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) return Checked(CheckedMul(*a.number, *b.number));
  if (a.Is(0) || b.Is(0)) return Element::Number(0);
  if (a.Is(1)) return b;
  if (b.Is(1)) return a;
  return Element::Unknown();
}

Element DivElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) {
    if (*b.number == 0 || *b.number == -1) return Element::Unknown();
    return Element::Number(*a.number / *b.number);
  }
  if (b.Is(1)) return a;
  return Element::Unknown();
}

// The sign of the remainder depends on an attribute: only where both are positive.
Element ModElements(const Element& a, const Element& b) {
  if (BothKnown(a, b) && *a.number >= 0 && *b.number > 0) {
    return Element::Number(*a.number % *b.number);
  }
  if (b.Is(1)) return Element::Number(0);
  return Element::Unknown();
}

Element MinElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) return Element::Number(std::min(*a.number, *b.number));
  if (SameSymbol(a, b)) return a;
  if ((a.symbolic() && b.number && *b.number <= 0)) return b;
  if ((b.symbolic() && a.number && *a.number <= 0)) return a;
  return Element::Unknown();
}

Element MaxElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) return Element::Number(std::max(*a.number, *b.number));
  if (SameSymbol(a, b)) return a;
  if ((a.symbolic() && b.number && *b.number <= 0)) return a;
  if ((b.symbolic() && a.number && *a.number <= 0)) return b;
  return Element::Unknown();
}

Element EqualElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) return Element::Number(*a.number == *b.number ? 1 : 0);
  if (SameSymbol(a, b)) return Element::Number(1);
  const bool never =
      (a.symbolic() && b.number && *b.number < 0) || (b.symbolic() && a.number && *a.number < 0);
  return never ? Element::Number(0) : Element::Unknown();
}

Element LessElements(const Element& a, const Element& b) {
  if (BothKnown(a, b)) return Element::Number(*a.number < *b.number ? 1 : 0);
  if (SameSymbol(a, b)) return Element::Number(0);
  if (a.symbolic() && b.number && *b.number <= 0) return Element::Number(0);
  if (b.symbolic() && a.number && *a.number < 0) return Element::Number(1);
  return Element::Unknown();
}

Element AndElements(const Element& a, const Element& b) {
  if (a.Is(0) || b.Is(0)) return Element::Number(0);
  return BothKnown(a, b) ? Element::Number(1) : Element::Unknown();
}

Element OrElements(const Element& a, const Element& b) {
  if (a.Is(1) || b.Is(1)) return Element::Number(1);
  return BothKnown(a, b) ? Element::Number(0) : Element::Unknown();
}

}  // namespace waybill::graph::infer
