#include "tools/values/printable.h"

#include <cstdint>

namespace waybill::tools {

std::string Printable(const std::string& text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const uint8_t c = byte(i);
    // U+0080 to U+009F, which terminals obey too.
    const bool high = c == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0;
    if (c == '\n' && byte(i + 1) != ' ') {
      out += "\\n";
    } else if ((c < 0x20 && c != '\n') || c == 0x7F || high) {
      for (const uint8_t b : {c, byte(i + 1)}) {
        out += "\\x";
        out += kHex[b >> 4];
        out += kHex[b & 15];
        if (!high) break;
      }
      i += high ? 1 : 0;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace waybill::tools
