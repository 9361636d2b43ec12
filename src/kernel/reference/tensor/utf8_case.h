// Upper and lower case of UTF-8 text without a locale: ASCII, Latin-1, Latin Extended-A, Greek,
// Cyrillic and Armenian letters that map one to one. Everything else, and bytes that are no UTF-8,
// stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace waybill::kernel::reference {

std::string Utf8Lower(std::string_view text);
std::string Utf8Upper(std::string_view text);

}  // namespace waybill::kernel::reference
