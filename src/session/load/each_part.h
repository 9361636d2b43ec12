// Lists in the values of config entries.
#pragma once

#include <string_view>

namespace waybill::session {

// Whether `is_part` holds for each part of `text` between separators; it is called until one fails.
// An empty text is one empty part.
template <typename Fn>
bool EachPart(std::string_view text, char separator, Fn&& is_part) {
  for (;;) {
    const size_t end = text.find(separator);
    if (!is_part(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace waybill::session
