// TypeView and ValueInfoView: declared types and shapes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "onnx/model/tensor_view.h"

namespace waybill::onnx {

struct DimView {
  enum class Kind : uint8_t { kUnknown, kValue, kParam };
  Kind kind = Kind::kUnknown;
  int64_t value = 0;  // kValue; as written: producers write 0 and negative numbers for "unknown"
  std::string_view param;  // kParam
  std::string_view denotation;
};

struct TypeView {
  enum class Kind : uint8_t { kNone, kTensor, kSequence, kMap, kOptional, kSparseTensor, kOpaque };
  Kind kind = Kind::kNone;
  int32_t elem_type = kUndefined;     // kTensor, kSparseTensor; UNDEFINED: not said
  int32_t key_type = kUndefined;      // kMap
  bool has_shape = false;             // without: unknown rank
  std::vector<DimView> dims;          // kTensor, kSparseTensor; empty with has_shape: a scalar
  std::shared_ptr<TypeView> element;  // kSequence, kOptional: element; kMap: value. Null: not said
  std::string_view denotation;
  std::string_view opaque_domain;
  std::string_view opaque_name;
};

struct ValueInfoView {
  std::string_view name;
  TypeView type;  // kNone: not declared
  std::string_view doc_string;
  std::vector<StringEntry> metadata_props;
};

// Unknown element types are refused with kInvalidGraph.
Status ReadType(Cursor& in, TypeView& out);
Status ReadValueInfo(Cursor& in, ValueInfoView& out);

}  // namespace waybill::onnx
