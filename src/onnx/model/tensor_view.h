// TensorProtoView and SparseTensorView: a tensor in a file, its payload left where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/status.h"
#include "onnx/model/data_type.h"
#include "onnx/wire/cursor.h"
#include "onnx/wire/field_list.h"

namespace waybill::onnx {

// Dimensions that one tensor may have.
inline constexpr size_t kMaxRank = 1024;

struct StringEntry {
  std::string_view key;
  std::string_view value;
};

// All strings and lists borrow the bytes of the file.
struct TensorProtoView {
  // Where the elements are.
  enum class Payload : uint8_t {
    kNone,      // zero elements and no data
    kRaw,       // raw_data
    kTyped,     // one of the numeric typed fields
    kStrings,   // string_data
    kExternal,  // another file: see external_data
  };

  std::string_view name;
  std::string_view doc_string;
  std::vector<int64_t> dims;  // not negative; empty: a scalar
  int32_t data_type = kUndefined;
  int32_t data_location = 0;
  bool has_raw_data = false;
  bool has_segment = false;
  std::string_view raw_data;
  FieldList<float> float_data;
  FieldList<int32_t> int32_data;
  FieldList<int64_t> int64_data;
  FieldList<double> double_data;
  FieldList<uint64_t> uint64_data;
  FieldList<std::string_view> string_data;
  std::vector<StringEntry> external_data;
  std::vector<StringEntry> metadata_props;

  // Known once the tensor was checked, as every tensor of a ModelView was.
  Payload payload = Payload::kNone;
  size_t elems = 0;
  size_t bytes = 0;  // in the raw layout, sub-byte types packed; 0 for STRING

  // The elements as `bytes` bytes of the raw layout, where they lie so in the file (unaligned);
  // nothing when they need DecodeInto, are strings or external.
  std::optional<std::span<const std::byte>> Direct() const;

  // Writes the raw layout into `out`, of exactly `bytes` bytes. For every payload but strings and
  // external data. Errors: kInvalidArgument for a wrong size or such a payload.
  Status DecodeInto(std::span<std::byte> out) const;

  // "tensor 'w' FLOAT (1) [2, 3]", for messages.
  std::string Describe() const;
};

// Whether every byte is 0 or 1: any other bool would be undefined behaviour in whoever reads it.
bool AreBools(std::span<const std::byte> bytes);

// COO. `values` is [nnz], `indices` INT64, [nnz] (linear) or [nnz, rank of dims].
struct SparseTensorView {
  TensorProtoView values;
  TensorProtoView indices;
  std::vector<int64_t> dims;
};

// Indices of a sparse tensor in the raw layout: inside `dims`, ascending, none twice. For indices
// that were external when the model was read; all others are checked then.
// Errors: kInvalidGraph, naming the entry.
Status CheckSparseIndices(const SparseTensorView& sparse, std::span<const std::byte> indices);

// Readers for Cursor. Check... must follow once all occurrences of the message were read.
Status ReadStringEntry(Cursor& in, StringEntry& out);
Status ReadTensor(Cursor& in, TensorProtoView& out);
Status ReadSparseTensor(Cursor& in, SparseTensorView& out);

// What one tensor must fulfil: a known type, dimensions whose product fits, exactly one payload,
// long enough, in a field that serves the type. Sets payload, elems and bytes.
// Errors: kInvalidGraph.
Status CheckTensor(TensorProtoView& tensor);
Status CheckSparseTensor(SparseTensorView& sparse);

}  // namespace waybill::onnx
