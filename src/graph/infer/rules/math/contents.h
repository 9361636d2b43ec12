// Shape arithmetic: what is known of the elements of small integer tensors, negative numbers
// included (which Dims cannot hold).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/infer/context.h"

namespace waybill::graph::infer {

// A number, or what a Dim says: a symbol (never negative) or nothing.
struct Element {
  std::optional<int64_t> number;
  Dim dim;

  static Element Number(int64_t value) { return {value, value >= 0 ? Dim(value) : Dim()}; }
  static Element Of(const Dim& dim) {
    return dim.known() ? Number(dim.value()) : Element{std::nullopt, dim};
  }
  static Element Unknown() { return {}; }
  bool symbolic() const { return !number && dim.symbolic(); }
  bool Is(int64_t value) const { return number && *number == value; }
};

using Elements = std::vector<Element>;

// The elements of input i when it is an int32, int64 or bool tensor of rank 0 or 1 whose count is
// known and small. Nothing when no element is known.
std::optional<Elements> ElementsOfInput(const InferContext& ctx, size_t i);

// Tells the contents of output 0 when they can be written as Dims and are worth telling.
void TellContents(InferContext& ctx, const Elements& elements);

// Makes an element of the output from one of each input.
using Combine = Element (*)(const Element& a, const Element& b);

// Tells combine(a, b) over the elements of inputs 0 and 1, one of which may be repeated.
void TellCombined(InferContext& ctx, Combine combine);
// The same folded over all inputs, one or more.
void TellFolded(InferContext& ctx, Combine combine);

Element AddElements(const Element& a, const Element& b);
Element SubElements(const Element& a, const Element& b);
Element MulElements(const Element& a, const Element& b);
Element DivElements(const Element& a, const Element& b);
Element ModElements(const Element& a, const Element& b);
Element MinElements(const Element& a, const Element& b);
Element MaxElements(const Element& a, const Element& b);
Element EqualElements(const Element& a, const Element& b);
Element LessElements(const Element& a, const Element& b);
Element AndElements(const Element& a, const Element& b);
Element OrElements(const Element& a, const Element& b);

}  // namespace waybill::graph::infer
