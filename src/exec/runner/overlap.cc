#include "exec/runner/overlap.h"

#include <algorithm>
#include <cstddef>

namespace waybill::exec {

bool LiesUnder(const TensorView& tensor, std::span<const Value> others) {
  const std::byte* const begin = tensor.data;
  size_t bytes = 0;  // not needed as long as there is no other
  for (const Value& other : others) {
    const Tensor* given = other.tensor();
    if (given == nullptr) continue;
    if (bytes == 0) bytes = tensor.bytes();
    const SharedView& place = given->storage();
    if (begin < place.data() + place.bytes() && place.data() < begin + bytes) return true;
  }
  return false;
}

bool LiesUnder(const Value& value, std::span<const Value> others) {
  if (const Tensor* tensor = value.tensor()) return LiesUnder(tensor->view(), others);
  if (const SequenceValue* sequence = value.sequence()) {
    return std::any_of(sequence->items.begin(), sequence->items.end(),
                       [&](const Value& item) { return LiesUnder(item, others); });
  }
  if (const MapValue* map = value.map()) {
    return LiesUnder(map->keys.view(), others) || LiesUnder(*map->values, others);
  }
  if (const SparseValue* sparse = value.sparse()) {
    return LiesUnder(sparse->values.view(), others) || LiesUnder(sparse->indices.view(), others);
  }
  const OptionalValue* optional = value.optional();
  return optional != nullptr && optional->value != nullptr && LiesUnder(*optional->value, others);
}

}  // namespace waybill::exec
