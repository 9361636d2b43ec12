// Value: what crosses the edge of a session (the OrtValue). Copying shares the bytes.
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/status/result.h"
#include "tensor/tensor/tensor.h"
#include "tensor/value/type.h"

namespace waybill {

class Value;

struct SequenceValue {
  ValueType element;  // type of each item; known even when empty
  std::vector<Value> items;
};

// Keys are a rank-1 tensor of integers or strings, values a Value of as many entries.
struct MapValue {
  Tensor keys;
  std::shared_ptr<const Value> values;
};

struct OptionalValue {
  ValueType element;
  std::shared_ptr<const Value> value;  // null: none
};

// COO form: `values` [nnz]; `indices` int64 [nnz] (linear) or [nnz, rank].
struct SparseValue {
  Shape dense_shape;
  Tensor values;
  Tensor indices;
};

class Value {
 public:
  Value() = default;                                 // nothing
  Value(Tensor tensor) : rep_(std::move(tensor)) {}  // NOLINT
  Value(SequenceValue sequence);                     // NOLINT
  Value(MapValue map);                               // NOLINT
  Value(OptionalValue optional);                     // NOLINT
  Value(SparseValue sparse);                         // NOLINT

  ValueKind kind() const;
  bool defined() const { return kind() != ValueKind::kUnknown; }
  // Null unless the value is of that kind.
  const Tensor* tensor() const { return std::get_if<Tensor>(&rep_); }
  const SequenceValue* sequence() const;
  const MapValue* map() const;
  const OptionalValue* optional() const;
  const SparseValue* sparse() const;

  // The type with its concrete shape.
  ValueType type() const;

 private:
  template <typename T>
  using Shared = std::shared_ptr<const T>;
  std::variant<std::monostate, Tensor, Shared<SequenceValue>, Shared<MapValue>,
               Shared<OptionalValue>, Shared<SparseValue>>
      rep_;
};

}  // namespace waybill
