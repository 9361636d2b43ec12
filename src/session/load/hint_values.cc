#include "session/load/hint_values.h"

#include <charconv>
#include <cstdint>

#include "session/load/each_part.h"

namespace waybill::session {

namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// 0 where `text` is no number above 0.
int64_t Positive(std::string_view text) {
  text = Trimmed(text);
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && value > 0 ? value : 0;
}

bool IsNumbers(std::string_view text) {
  return EachPart(text, ',', [](std::string_view number) { return Positive(number) != 0; });
}

// name:[d0,d1]; a name may have a colon and a bracket too.
bool IsNamedShape(std::string_view text) {
  text = Trimmed(text);
  const size_t colon = text.rfind(":[");
  if (colon == text.npos || colon == 0 || text.back() != ']') return false;
  const std::string_view dims = text.substr(colon + 2, text.size() - colon - 3);
  return Trimmed(dims).empty() || IsNumbers(dims);
}

// 3 or 3-5.
bool IsProcessors(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == text.npos) return Positive(text) != 0;
  const int64_t first = Positive(text.substr(0, dash));
  return first != 0 && first <= Positive(text.substr(dash + 1));
}

bool IsAffinities(std::string_view text) {
  return EachPart(text, ';',
                  [](std::string_view group) { return EachPart(group, ',', IsProcessors); });
}

}  // namespace

Status CheckHintValue(std::string_view key, std::string_view value) {
  if (value.empty()) return Status::Ok();
  const char* expected = nullptr;
  if (key == "session.max_shape_override") {
    if (!EachPart(value, ';', IsNamedShape)) expected = "name:[d0,d1];name2:[...]";
  } else if (key == "session.intra_op_thread_affinities") {
    if (!IsAffinities(value)) expected = "1,2;3-5;...";
  }
  if (expected == nullptr) return Status::Ok();
  return Error(Code::kFail, "session config entry {} must be like \"{}\", not \"{}\"", key,
               expected, value);
}

}  // namespace waybill::session
