// The type of a value in a graph: a tensor of an element type and a symbolic shape, or a sequence,
// map, optional or sparse tensor of such.
#pragma once

#include <memory>
#include <string>

#include "tensor/dtype/dtype.h"
#include "tensor/shape/symbolic.h"

namespace waybill {

enum class ValueKind : uint8_t {
  kUnknown = 0,
  kTensor,
  kSequence,
  kMap,
  kOptional,
  kSparse,
  kOpaque
};

struct ValueType {
  ValueKind kind = ValueKind::kUnknown;
  DType dtype = DType::kUndefined;           // kTensor, kSparse: element; kMap: key
  SymShape shape;                            // kTensor, kSparse
  std::shared_ptr<const ValueType> element;  // kSequence, kOptional: element; kMap: value

  static ValueType Tensor(DType dtype, SymShape shape = {});
  static ValueType Sequence(ValueType element);
  static ValueType Optional(ValueType element);
  static ValueType Map(DType key, ValueType value);
  static ValueType Sparse(DType dtype, SymShape shape = {});

  bool is_tensor() const { return kind == ValueKind::kTensor; }
  // Same kinds and element types all the way down; shapes are not compared. Unknown matches only
  // unknown.
  bool SameTypeAs(const ValueType& other) const;
  // ONNX's spelling: "tensor(float)", "seq(tensor(int64))", "map(string,tensor(float))".
  std::string TypeString() const;
  // With the shape: "float [batch, 3]".
  std::string ToString() const;
};

}  // namespace waybill
