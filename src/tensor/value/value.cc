#include "tensor/value/value.h"

namespace waybill {

Value::Value(SequenceValue sequence)
    : rep_(std::make_shared<const SequenceValue>(std::move(sequence))) {}
Value::Value(MapValue map) : rep_(std::make_shared<const MapValue>(std::move(map))) {}
Value::Value(OptionalValue optional)
    : rep_(std::make_shared<const OptionalValue>(std::move(optional))) {}
Value::Value(SparseValue sparse) : rep_(std::make_shared<const SparseValue>(std::move(sparse))) {}

ValueKind Value::kind() const {
  constexpr ValueKind kKinds[] = {ValueKind::kUnknown, ValueKind::kTensor,   ValueKind::kSequence,
                                  ValueKind::kMap,     ValueKind::kOptional, ValueKind::kSparse};
  if (const Tensor* held = tensor(); held && !held->defined()) return ValueKind::kUnknown;
  return kKinds[rep_.index()];
}

const SequenceValue* Value::sequence() const {
  const auto* held = std::get_if<Shared<SequenceValue>>(&rep_);
  return held ? held->get() : nullptr;
}
const MapValue* Value::map() const {
  const auto* held = std::get_if<Shared<MapValue>>(&rep_);
  return held ? held->get() : nullptr;
}
const OptionalValue* Value::optional() const {
  const auto* held = std::get_if<Shared<OptionalValue>>(&rep_);
  return held ? held->get() : nullptr;
}
const SparseValue* Value::sparse() const {
  const auto* held = std::get_if<Shared<SparseValue>>(&rep_);
  return held ? held->get() : nullptr;
}

ValueType Value::type() const {
  switch (kind()) {
    case ValueKind::kTensor:
      return ValueType::Tensor(tensor()->dtype(), SymShape(tensor()->shape()));
    case ValueKind::kSequence:
      return ValueType::Sequence(sequence()->element);
    case ValueKind::kMap:
      return ValueType::Map(map()->keys.dtype(),
                            map()->values ? map()->values->type() : ValueType());
    case ValueKind::kOptional:
      return ValueType::Optional(optional()->element);
    case ValueKind::kSparse:
      return ValueType::Sparse(sparse()->values.dtype(), SymShape(sparse()->dense_shape));
    default:
      return {};
  }
}

}  // namespace waybill
