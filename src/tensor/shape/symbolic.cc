#include "tensor/shape/symbolic.h"

#include "base/text/format.h"

namespace waybill {

std::string Dim::ToString() const {
  if (known()) return Format("{}", value_);
  return symbolic() ? symbol_ : "?";
}

std::optional<Shape> SymShape::Concrete() const {
  if (!dims_) return std::nullopt;
  Shape shape = Shape::Filled(dims_->size(), 0);
  for (size_t i = 0; i < dims_->size(); ++i) {
    if (!(*dims_)[i].known()) return std::nullopt;
    shape[i] = (*dims_)[i].value();
  }
  return shape;
}

std::optional<int64_t> SymShape::Elems() const {
  const auto shape = Concrete();
  return shape ? shape->CheckedElems() : std::nullopt;
}

std::string SymShape::ToString() const {
  if (!dims_) return "?";
  return Format("{}", *dims_);
}

}  // namespace waybill
