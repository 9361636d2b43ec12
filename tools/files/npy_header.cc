#include "tools/files/npy_header.h"

#include <charconv>

#include "tools/files/bytes.h"

namespace waybill::tools {
namespace {

// The text after `'key':` of the header's Python dictionary.
std::string Field(const std::string& dict, const std::string& key, const std::string& what) {
  const size_t at = dict.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : dict.find(':', at);
  if (colon == std::string::npos) throw ToolError(what + ": the header has no '" + key + "'");
  return dict.substr(colon + 1);
}

// Moves `at` past blanks.
void SkipBlanks(const std::string& text, size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n')) ++at;
}

// A tuple of sizes, as Python writes it: "()", "(3,)", "(2, 3)". Old files have "3L" for 3.
std::vector<int64_t> ParseShape(const std::string& text, const std::string& what) {
  const auto expect = [&](bool good) {
    if (!good) throw ToolError(what + ": the header's shape is no tuple of sizes");
  };
  size_t at = 0;
  SkipBlanks(text, at);
  expect(at < text.size() && text[at] == '(');
  std::vector<int64_t> shape;
  ++at;
  while (true) {
    SkipBlanks(text, at);
    if (at < text.size() && text[at] == ')') return shape;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
      throw ToolError(what + ": a dimension is too large");
    }
    expect(error == std::errc() && value >= 0);
    at = static_cast<size_t>(end - text.data());
    if (at < text.size() && text[at] == 'L') ++at;
    shape.push_back(value);
    SkipBlanks(text, at);
    expect(at < text.size() && (text[at] == ')' || text[at] == ','));
    // "(3)" is a number in Python, not a tuple.
    expect(text[at] == ',' || shape.size() > 1);
    if (text[at] == ',') ++at;
  }
}

// "True" or "False".
bool ParseBool(const std::string& text, const std::string& what) {
  size_t at = 0;
  SkipBlanks(text, at);
  if (text.compare(at, 4, "True") == 0) return true;
  if (text.compare(at, 5, "False") == 0) return false;
  throw ToolError(what + ": the header's fortran_order is neither True nor False");
}

// The text between quotes. Structured arrays have a list there.
std::string ParseQuoted(const std::string& text, const std::string& what) {
  size_t at = 0;
  SkipBlanks(text, at);
  const size_t end = at < text.size() && (text[at] == '\'' || text[at] == '"')
                         ? text.find(text[at], at + 1)
                         : std::string::npos;
  if (end == std::string::npos) throw ToolError(what + ": structured arrays are not supported");
  return text.substr(at + 1, end - at - 1);
}

}  // namespace

NpyHeader ParseNpyHeader(const std::string& bytes, const std::string& what) {
  if (bytes.size() < 10 || bytes.compare(0, 6, kNpyMagic) != 0) {
    throw ToolError(what + ": not a .npy file");
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  const bool wide = byte(6) >= 2;
  const size_t start = wide ? 12 : 10;
  if (bytes.size() < start) throw ToolError(what + ": the header is cut short");
  size_t length = byte(8) | byte(9) << 8;
  if (wide) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) throw ToolError(what + ": the header is cut short");
  const std::string dict = bytes.substr(start, length);
  NpyHeader header;
  header.descr = ParseQuoted(Field(dict, "descr", what), what);
  header.fortran = ParseBool(Field(dict, "fortran_order", what), what);
  header.shape = ParseShape(Field(dict, "shape", what), what);
  header.data_offset = start + length;
  return header;
}

}  // namespace waybill::tools
