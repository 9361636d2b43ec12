#include "base/text/format.h"

#include <charconv>

namespace waybill::text {

namespace {
template <typename T>
void AppendChars(std::string& out, T value) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}
}  // namespace

void Append(std::string& out, std::string_view value) { out += value; }
void Append(std::string& out, bool value) { out += value ? "true" : "false"; }
void Append(std::string& out, char value) { out += value; }
void Append(std::string& out, double value) { AppendChars(out, value); }
void AppendSigned(std::string& out, long long value) { AppendChars(out, value); }
void AppendUnsigned(std::string& out, unsigned long long value) { AppendChars(out, value); }

void AppendUntilHole(std::string& out, std::string_view& pattern) {
  const size_t hole = pattern.find("{}");
  if (hole == std::string_view::npos) {
    out += pattern;
    out += ' ';
    pattern = {};
    return;
  }
  out += pattern.substr(0, hole);
  pattern.remove_prefix(hole + 2);
}

}  // namespace waybill::text
