#include "kernel/reference/tensor/utf8_case.h"

#include <cstdint>

namespace waybill::kernel::reference {

namespace {

// Upper-case letters first, first+step, ... last; each one's lower case is `offset` further.
struct CaseRange {
  uint32_t first, last;
  uint32_t step;
  int32_t offset;
};

constexpr CaseRange kRanges[] = {
    {0x41, 0x5A, 1, 32},   {0xC0, 0xD6, 1, 32},   {0xD8, 0xDE, 1, 32},   {0x100, 0x12E, 2, 1},
    {0x132, 0x136, 2, 1},  {0x139, 0x147, 2, 1},  {0x14A, 0x176, 2, 1},  {0x178, 0x178, 1, -121},
    {0x179, 0x17D, 2, 1},  {0x386, 0x386, 1, 38}, {0x388, 0x38A, 1, 37}, {0x38C, 0x38C, 1, 64},
    {0x38E, 0x38F, 1, 63}, {0x391, 0x3A1, 1, 32}, {0x3A3, 0x3AB, 1, 32}, {0x400, 0x40F, 1, 80},
    {0x410, 0x42F, 1, 32}, {0x460, 0x480, 2, 1},  {0x48A, 0x4BE, 2, 1},  {0x4D0, 0x52E, 2, 1},
    {0x531, 0x556, 1, 48},
};

uint32_t Lower(uint32_t code) {
  for (const CaseRange& r : kRanges) {
    if (code >= r.first && code <= r.last && (code - r.first) % r.step == 0) {
      return static_cast<uint32_t>(static_cast<int32_t>(code) + r.offset);
    }
  }
  return code;
}

uint32_t Upper(uint32_t code) {
  for (const CaseRange& r : kRanges) {
    const auto upper = static_cast<uint32_t>(static_cast<int32_t>(code) - r.offset);
    if (upper >= r.first && upper <= r.last && (upper - r.first) % r.step == 0) return upper;
  }
  return code;
}

// All mapped letters have one or two bytes, so only these are decoded.
template <typename Map>
std::string MapCase(std::string_view text, Map map) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const uint8_t next = i + 1 < text.size() ? static_cast<uint8_t>(text[i + 1]) : 0;
    uint32_t code = byte;
    bool two = false;
    if (byte >= 0xC2 && byte <= 0xDF && (next & 0xC0) == 0x80) {
      code = (byte & 0x1Fu) << 6 | (next & 0x3Fu);
      two = true;
    } else if (byte >= 0x80) {
      out.push_back(text[i]);
      continue;
    }
    const uint32_t mapped = map(code);
    if (two) {
      ++i;
      out.push_back(static_cast<char>(0xC0 | mapped >> 6));
      out.push_back(static_cast<char>(0x80 | (mapped & 0x3F)));
    } else {
      out.push_back(static_cast<char>(mapped));
    }
  }
  return out;
}

}  // namespace

std::string Utf8Lower(std::string_view text) { return MapCase(text, Lower); }
std::string Utf8Upper(std::string_view text) { return MapCase(text, Upper); }

}  // namespace waybill::kernel::reference
