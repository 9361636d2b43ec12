// Varints, without exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace waybill::onnx {

// Reads one varint of [*data, end) and moves `*data` behind it. Nothing when it is cut off or
// longer than ten bytes; `*data` then stays.
std::optional<uint64_t> DecodeVarint(const char** data, const char* end);

// Number of varints that fill [data, end) exactly; nothing when one is cut off or too long.
std::optional<size_t> CountVarints(const char* data, const char* end);

}  // namespace waybill::onnx
