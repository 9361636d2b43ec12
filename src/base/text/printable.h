// Text from files and callers, made fit for messages: one line, no control characters, not endless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

// Bytes of a name, and of a message, that are kept before escapes.
inline constexpr size_t kMaxNameBytes = 200;
inline constexpr size_t kMaxMessageBytes = 8192;

// A name as a message shows it. Control characters and bytes that are not UTF-8 become escapes
// ("\n", "\x1b"); all other text stays. Of more than kMaxNameBytes, the middle becomes "...".
std::string PrintableName(std::string_view name);

// The same for a whole message of at most kMaxMessageBytes. A line break before a blank stays: it
// is how messages begin lines of their own.
std::string PrintableMessage(std::string_view message);

// Whether PrintableMessage would return the text as it is. Allocates nothing.
bool IsPrintableMessage(std::string_view message);

}  // namespace waybill
