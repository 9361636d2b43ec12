#include "graph/infer/types.h"

#include <memory>
#include <vector>

namespace waybill::graph::infer {

namespace {

bool HasElement(ValueKind kind) {
  return kind == ValueKind::kSequence || kind == ValueKind::kOptional || kind == ValueKind::kMap;
}
bool HasDType(ValueKind kind) {
  return kind == ValueKind::kTensor || kind == ValueKind::kSparse || kind == ValueKind::kMap;
}

const ValueType& ElementOf(const ValueType& type) {
  static const ValueType unknown;
  return type.element ? *type.element : unknown;
}

// Dimensions of `declared` without their numbers.
SymShape NamesOnly(const SymShape& declared) {
  std::vector<Dim> dims;
  for (const Dim& dim : declared.dims()) dims.push_back(dim.known() ? Dim() : dim);
  return SymShape(std::move(dims));
}

void FillShape(SymShape& shape, const SymShape& declared, bool numbers) {
  if (!declared.has_rank()) return;
  if (!shape.has_rank()) {
    // A declared scalar often means that nothing is known.
    if (numbers || declared.rank() > 0) shape = numbers ? declared : NamesOnly(declared);
    return;
  }
  if (shape.rank() != declared.rank()) return;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i].unknown() && (numbers || !declared[i].known())) shape[i] = declared[i];
  }
}

}  // namespace

bool IsComplete(const ValueType& type) {
  if (type.kind == ValueKind::kUnknown) return false;
  if (HasDType(type.kind) && type.dtype == DType::kUndefined) return false;
  return !HasElement(type.kind) || IsComplete(ElementOf(type));
}

bool Contradicts(const ValueType& a, const ValueType& b) {
  if (a.kind == ValueKind::kUnknown || b.kind == ValueKind::kUnknown) return false;
  if (a.kind != b.kind) return true;
  if (HasDType(a.kind) && a.dtype != DType::kUndefined && b.dtype != DType::kUndefined &&
      a.dtype != b.dtype) {
    return true;
  }
  return HasElement(a.kind) && Contradicts(ElementOf(a), ElementOf(b));
}

SymShape JoinShapes(const SymShape& a, const SymShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return {};
  std::vector<Dim> dims;
  for (size_t i = 0; i < a.rank(); ++i) dims.push_back(a[i].SameAs(b[i]) ? a[i] : Dim());
  return SymShape(std::move(dims));
}

ValueType JoinTypes(const ValueType& a, const ValueType& b) {
  if (a.kind == ValueKind::kUnknown || b.kind == ValueKind::kUnknown) {
    ValueType out = a.kind == ValueKind::kUnknown ? b : a;
    out.shape = SymShape();
    return out;
  }
  ValueType out = a;
  if (out.dtype == DType::kUndefined) out.dtype = b.dtype;
  out.shape = JoinShapes(a.shape, b.shape);
  if (HasElement(a.kind)) {
    out.element = std::make_shared<const ValueType>(JoinTypes(ElementOf(a), ElementOf(b)));
  }
  return out;
}

void FillFromDeclared(ValueType& type, const ValueType& declared, bool numbers) {
  if (declared.kind == ValueKind::kUnknown) return;
  if (type.kind == ValueKind::kUnknown) {
    type = declared;
    type.shape = SymShape();
    FillShape(type.shape, declared.shape, numbers);
    return;
  }
  if (type.kind != declared.kind) return;
  if (HasDType(type.kind)) {
    if (type.dtype == DType::kUndefined) type.dtype = declared.dtype;
    FillShape(type.shape, declared.shape, numbers);
  }
  if (HasElement(type.kind) && !IsComplete(ElementOf(type))) {
    ValueType element = ElementOf(type);
    FillFromDeclared(element, ElementOf(declared), false);
    type.element = std::make_shared<const ValueType>(std::move(element));
  }
}

}  // namespace waybill::graph::infer
