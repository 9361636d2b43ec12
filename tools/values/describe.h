// Values and types in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "onnxruntime_cxx_api.h"

namespace waybill::tools {

ONNXType KindOf(const Ort::Value& value);

// "[1, 3]"
std::string ShapeText(const std::vector<int64_t>& shape);
// "float [batch, 3, ?]", "seq(int64 ?)", "map(int64, float ?)"
std::string Describe(const Ort::ConstTypeInfo& type);
// The same with the value's own shape.
std::string Describe(const Ort::Value& value);

// A few lines for people: type, range of numbers, the first `limit` elements.
std::string Summary(const Ort::Value& value, size_t limit);

// {"type", "shape", "data"}, {"items"}, {"keys", "values"} or null; at most `limit` elements of
// each tensor. 64-bit integers beyond 2^53 and numbers that JSON lacks are texts.
nlohmann::ordered_json ToJson(const Ort::Value& value, size_t limit);

}  // namespace waybill::tools
