#include "exec/runner/detach.h"

#include <algorithm>
#include <utility>

namespace waybill::exec {

namespace {

// The container that a value shares with its copies; null for tensors and for nothing.
const void* ContainerOf(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kSequence:
      return value.sequence();
    case ValueKind::kMap:
      return value.map();
    case ValueKind::kOptional:
      return value.optional();
    case ValueKind::kSparse:
      return value.sparse();
    default:
      return nullptr;
  }
}

bool HasOtherOwners(const Tensor& tensor) { return tensor.storage().owner().use_count() != 1; }

}  // namespace

Detacher::Detacher(std::span<const Value* const> inputs, std::shared_ptr<MemorySource> source,
                   MemoryTag tag)
    : source_(std::move(source)), tag_(tag) {
  for (const Value* input : inputs) NoteHeld(*input);
}

Result<Value> Detacher::Take(const Value& value) {
  if (IsHeld(value, false)) return Copy(value, false);
  NoteHeld(value);
  return value;
}

void Detacher::NoteHeld(const Value& value) {
  const void* container = ContainerOf(value);
  if (container == nullptr || !held_.insert(container).second) return;
  if (const SequenceValue* sequence = value.sequence()) {
    for (const Value& item : sequence->items) NoteHeld(item);
  } else if (const MapValue* map = value.map()) {
    NoteHeld(*map->values);
  } else if (const OptionalValue* optional = value.optional(); optional && optional->value) {
    NoteHeld(*optional->value);
  }
}

bool Detacher::IsHeld(const Value& value, bool held) const {
  if (const Tensor* tensor = value.tensor()) return held || HasOtherOwners(*tensor);
  held = held || held_.count(ContainerOf(value)) != 0;
  if (const SequenceValue* sequence = value.sequence()) {
    return std::any_of(sequence->items.begin(), sequence->items.end(),
                       [&](const Value& item) { return IsHeld(item, held); });
  }
  if (const MapValue* map = value.map()) {
    return held || HasOtherOwners(map->keys) || IsHeld(*map->values, held);
  }
  if (const SparseValue* sparse = value.sparse()) {
    return held || HasOtherOwners(sparse->values) || HasOtherOwners(sparse->indices);
  }
  const OptionalValue* optional = value.optional();
  return optional != nullptr && optional->value != nullptr && IsHeld(*optional->value, held);
}

Result<Tensor> Detacher::CopyTensor(const Tensor& tensor, bool held) const {
  if (!held && !HasOtherOwners(tensor)) return tensor;
  return waybill::CopyTensor(tensor.view(), source_, tag_);
}

Result<Value> Detacher::CopySequence(const SequenceValue& from, bool held) const {
  SequenceValue to{from.element, {}};
  to.items.reserve(from.items.size());
  for (const Value& item : from.items) {
    WB_ASSIGN_OR_RETURN(Value copy, Copy(item, held));
    to.items.push_back(std::move(copy));
  }
  return Value(std::move(to));
}

Result<Value> Detacher::Copy(const Value& value, bool held) const {
  if (const Tensor* tensor = value.tensor()) {
    WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(*tensor, held));
    return Value(std::move(copy));
  }
  held = held || held_.count(ContainerOf(value)) != 0;
  if (const SequenceValue* sequence = value.sequence()) return CopySequence(*sequence, held);
  if (const MapValue* map = value.map()) {
    WB_ASSIGN_OR_RETURN(Tensor keys, CopyTensor(map->keys, held));
    WB_ASSIGN_OR_RETURN(Value values, Copy(*map->values, held));
    return Value(MapValue{std::move(keys), std::make_shared<const Value>(std::move(values))});
  }
  if (const SparseValue* sparse = value.sparse()) {
    WB_ASSIGN_OR_RETURN(Tensor values, CopyTensor(sparse->values, held));
    WB_ASSIGN_OR_RETURN(Tensor indices, CopyTensor(sparse->indices, held));
    return Value(SparseValue{sparse->dense_shape, std::move(values), std::move(indices)});
  }
  const OptionalValue* optional = value.optional();
  if (optional == nullptr || optional->value == nullptr) return value;
  WB_ASSIGN_OR_RETURN(Value inner, Copy(*optional->value, held));
  return Value(OptionalValue{optional->element, std::make_shared<const Value>(std::move(inner))});
}

}  // namespace waybill::exec
