// Text from models and files, made fit for a terminal.
#pragma once

#include <string>

namespace waybill::tools {

// `text` with control characters as escapes ("\n", "\x1b"), so that a name cannot move the cursor,
// begin lines or end a C string. A line break before a blank stays: so messages begin lines.
std::string Printable(const std::string& text);

}  // namespace waybill::tools
