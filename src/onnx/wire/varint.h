// Varints, without exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace waybill::onnx {

std::optional<uint64_t> DecodeLongVarint(const char** data, const char* end);

// Reads one varint of [*data, end) and moves `*data` behind it. Nothing when it is cut off or
// longer than ten bytes; `*data` then stays.
inline std::optional<uint64_t> DecodeVarint(const char** data, const char* end) {
  // Nearly all tags, and most numbers of a file of many small ones, are a single byte.
  if (*data != end) {
    const auto byte = static_cast<unsigned char>(**data);
    if (byte < 0x80) return ++*data, uint64_t{byte};
  }
  return DecodeLongVarint(data, end);
}

// Number of varints that fill [data, end) exactly; nothing when one is cut off or too long.
std::optional<size_t> CountVarints(const char* data, const char* end);

}  // namespace waybill::onnx
