#include "graph/infer/dims.h"

#include "base/math/checked.h"

namespace waybill::graph::infer {

namespace {

bool Is(const Dim& dim, int64_t value) { return dim.known() && dim.value() == value; }

}  // namespace

Result<Dim> AddDims(const Dim& a, const Dim& b) {
  if (Is(a, 0)) return b;
  if (Is(b, 0)) return a;
  if (!a.known() || !b.known()) return Dim();
  if (const auto sum = CheckedAdd(a.value(), b.value())) return Dim(*sum);
  return Error(Code::kInvalidArgument, "a dimension of {} + {} elements overflows", a, b);
}

Result<Dim> MulDims(const Dim& a, const Dim& b) {
  if (Is(a, 1)) return b;
  if (Is(b, 1)) return a;
  if (Is(a, 0) || Is(b, 0)) return Dim(0);
  if (!a.known() || !b.known()) return Dim();
  if (const auto product = CheckedMul(a.value(), b.value())) return Dim(*product);
  return Error(Code::kInvalidArgument, "a dimension of {} x {} elements overflows", a, b);
}

Result<Dim> ProductOf(const SymShape& shape, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    if (Is(shape[i], 0)) return Dim(0);
  }
  Dim product(1);
  for (size_t i = first; i < last; ++i) {
    WB_ASSIGN_OR_RETURN(product, MulDims(product, shape[i]), "shape {}", shape);
  }
  return product;
}

}  // namespace waybill::graph::infer
