#include "tensor/value/type.h"

#include <string_view>

#include "base/text/format.h"

namespace waybill {
namespace {

ValueType Wrapping(ValueKind kind, ValueType element) {
  ValueType type;
  type.kind = kind;
  type.element = std::make_shared<const ValueType>(std::move(element));
  return type;
}

ValueType TensorLike(ValueKind kind, DType dtype, SymShape shape) {
  ValueType type;
  type.kind = kind;
  type.dtype = dtype;
  type.shape = std::move(shape);
  return type;
}

template <typename Inner>
std::string Spell(const ValueType& type, std::string_view tensor_text, Inner inner) {
  const auto element = [&] { return type.element ? inner(*type.element) : std::string("?"); };
  switch (type.kind) {
    case ValueKind::kTensor:
    case ValueKind::kSparse:
      return std::string(tensor_text);
    case ValueKind::kSequence:
      return Format("seq({})", element());
    case ValueKind::kOptional:
      return Format("optional({})", element());
    case ValueKind::kMap:
      return Format("map({},{})", DTypeName(type.dtype), element());
    case ValueKind::kOpaque:
      return "opaque";
    case ValueKind::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

ValueType ValueType::Tensor(DType dtype, SymShape shape) {
  return TensorLike(ValueKind::kTensor, dtype, std::move(shape));
}
ValueType ValueType::Sparse(DType dtype, SymShape shape) {
  return TensorLike(ValueKind::kSparse, dtype, std::move(shape));
}
ValueType ValueType::Sequence(ValueType element) {
  return Wrapping(ValueKind::kSequence, std::move(element));
}
ValueType ValueType::Optional(ValueType element) {
  return Wrapping(ValueKind::kOptional, std::move(element));
}
ValueType ValueType::Map(DType key, ValueType value) {
  ValueType type = Wrapping(ValueKind::kMap, std::move(value));
  type.dtype = key;
  return type;
}

bool ValueType::SameTypeAs(const ValueType& other) const {
  if (kind != other.kind || dtype != other.dtype) return false;
  if (element == other.element) return true;
  return element && other.element && element->SameTypeAs(*other.element);
}

std::string ValueType::TypeString() const {
  const auto name = DTypeName(dtype);
  const std::string tensor_text =
      kind == ValueKind::kSparse ? Format("sparse_tensor({})", name) : Format("tensor({})", name);
  return Spell(*this, tensor_text, [](const ValueType& t) { return t.TypeString(); });
}

std::string ValueType::ToString() const {
  std::string tensor_text = Format("{} {}", DTypeName(dtype), shape);
  if (kind == ValueKind::kSparse) tensor_text = "sparse " + tensor_text;
  return Spell(*this, tensor_text, [](const ValueType& t) { return t.ToString(); });
}

}  // namespace waybill
