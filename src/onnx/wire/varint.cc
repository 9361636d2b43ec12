#include "onnx/wire/varint.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace waybill::onnx {

std::optional<uint64_t> DecodeLongVarint(const char** data, const char* end) {
  try {
    return protozero::decode_varint(data, end);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<size_t> CountVarints(const char* data, const char* end) {
  size_t count = 0;
  int length = 0;
  for (; data != end; ++data) {
    if (++length > protozero::max_varint_length) return std::nullopt;
    if ((static_cast<unsigned char>(*data) & 0x80) == 0) {
      ++count;
      length = 0;
    }
  }
  if (length != 0) return std::nullopt;
  return count;
}

}  // namespace waybill::onnx
