// Values from and to the bytes of .pb files (TensorProto, SequenceProto, MapProto, OptionalProto,
// SparseTensorProto): how test data lies beside models.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "memory/source/source.h"
#include "tensor/value/type.h"
#include "tensor/value/value.h"

namespace waybill {

// Reads one serialized value into memory of its own, taken from `source` (null: the C library's
// heap, not counted). The bytes do not say which message they are, so `expected.kind` does, down
// through `expected.element`; kUnknown means a tensor. Element types are taken from the bytes, and
// from `expected` only where the bytes hold no element. A map of scalars gets its values as one
// rank-1 tensor, any other map a sequence.
// Errors: kInvalidProtobuf, kInvalidGraph for malformed bytes; kInvalidArgument where the elements
// are of another kind than expected; kOutOfMemory.
Result<Value> ValueFromPb(std::span<const std::byte> bytes, const ValueType& expected,
                          std::shared_ptr<MemorySource> source = nullptr);

// Serializes a value that the host can read, the inverse of ValueFromPb.
// Errors: kInvalidArgument for an undefined value or one on another device.
Result<std::vector<std::byte>> ValueToPb(const Value& value);

}  // namespace waybill
