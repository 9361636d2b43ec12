// Element types: names, sizes, single elements as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "onnxruntime_cxx_api.h"

namespace waybill::tools {

struct ElementInfo {
  ONNXTensorElementDataType type;
  const char* name;   // "float", "int64", ...
  const char* numpy;  // "f4", ...; empty when NumPy has no such type
  size_t bits;        // of one element; 0 for strings
  bool is_float;
  bool is_signed;
};

// A row for every type; unknown numbers get that of UNDEFINED.
const ElementInfo& InfoOf(ONNXTensorElementDataType type);
// NULL when there is none.
const ElementInfo* FindByNumpy(const std::string& numpy);

// Element `index` of a numeric tensor. Complex types give their real part; 64-bit integers may be
// rounded.
double NumberAt(const Ort::Value& tensor, ONNXTensorElementDataType type, size_t index);

// The raw bits of element `index` of a tensor of at most 64 bits an element.
uint64_t BitsAt(const Ort::Value& tensor, ONNXTensorElementDataType type, size_t index);

// Element `index` as text; strings in quotes.
std::string TextAt(const Ort::Value& tensor, ONNXTensorElementDataType type, size_t index);

}  // namespace waybill::tools
