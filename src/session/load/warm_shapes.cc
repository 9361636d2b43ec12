#include "session/load/warm_shapes.h"

#include <charconv>

#include "session/load/each_part.h"

namespace waybill::session {

namespace {

bool ReadShape(std::string_view text, Shape& shape) {
  if (text.empty()) return true;  // of a scalar
  return EachPart(text, ',', [&](std::string_view number) {
    int64_t dim = 0;
    const char* end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, dim);
    shape.PushBack(dim);
    return error == std::errc() && stop == end && dim >= 0;
  });
}

// name:[d0,d1]
bool ReadNamedShape(std::string_view text, WarmShapes& set) {
  const size_t colon = text.rfind(":[");
  if (colon == text.npos || colon == 0 || text.back() != ']') return false;
  set.names.emplace_back(text.substr(0, colon));
  return ReadShape(text.substr(colon + 2, text.size() - colon - 3), set.shapes.emplace_back());
}

}  // namespace

Result<std::vector<WarmShapes>> ParseWarmShapes(std::string_view text) {
  std::vector<WarmShapes> sets;
  if (text.empty() || text == "0") return sets;
  if (text == "1") {
    sets.emplace_back();
    return sets;
  }
  const bool ok = EachPart(text, '|', [&](std::string_view part) {
    WarmShapes& set = sets.emplace_back();
    return EachPart(part, ';', [&](std::string_view named) { return ReadNamedShape(named, set); });
  });
  if (ok) return sets;
  return Error(Code::kInvalidArgument,
               "shapes to warm up for must be 1 or like \"a:[1,2];b:[3]|a:[2,2];b:[3]\", not "
               "\"{}\"",
               text);
}

}  // namespace waybill::session
