#include "base/text/printable.h"

#include <cstdint>

namespace waybill {
namespace {

uint8_t ByteAt(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the well-formed UTF-8 character at `at` that is no control character; 0 if there is
// none.
size_t PrintableAt(std::string_view text, size_t at) {
  const uint8_t lead = ByteAt(text, at);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || length > text.size() - at) return 0;
  uint32_t code = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const uint8_t byte = ByteAt(text, at + i);
    if (!IsContinuation(byte)) return 0;
    code = code << 6 | (byte & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0xA0, 0x800, 0x10000};  // 0x80 to 0x9F are controls
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= kLeast[length] && code <= 0x10FFFF && !surrogate ? length : 0;
}

// Whether a message has a line break of its own at `at`.
bool BreaksLine(std::string_view text, size_t at) {
  return text[at] == '\n' && at + 1 < text.size() && text[at + 1] == ' ';
}

void AppendEscaped(std::string& out, std::string_view text, bool with_lines) {
  constexpr char kHex[] = "0123456789abcdef";
  for (size_t at = 0; at < text.size();) {
    size_t length = PrintableAt(text, at);
    if (length == 0 && with_lines && BreaksLine(text, at)) length = 1;
    if (length != 0) {
      out += text.substr(at, length);
      at += length;
      continue;
    }
    const uint8_t byte = ByteAt(text, at++);
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

// Both ends of text that is longer than `limit`, cut between characters.
std::string Printable(std::string_view text, size_t limit, bool with_lines) {
  std::string out;
  if (text.size() <= limit) {
    AppendEscaped(out, text, with_lines);
    return out;
  }
  size_t head = limit / 2, tail = text.size() - limit / 2;
  for (int i = 0; i < 3 && IsContinuation(ByteAt(text, head)); ++i) --head;
  for (int i = 0; i < 3 && IsContinuation(ByteAt(text, tail)); ++i) ++tail;
  AppendEscaped(out, text.substr(0, head), with_lines);
  out += "...";
  AppendEscaped(out, text.substr(tail), with_lines);
  return out;
}

}  // namespace

std::string PrintableName(std::string_view name) { return Printable(name, kMaxNameBytes, false); }

std::string PrintableMessage(std::string_view message) {
  return Printable(message, kMaxMessageBytes, true);
}

bool IsPrintableMessage(std::string_view message) {
  if (message.size() > kMaxMessageBytes) return false;
  for (size_t at = 0; at < message.size();) {
    size_t length = PrintableAt(message, at);
    if (length == 0 && BreaksLine(message, at)) length = 1;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace waybill
