// Numbers as text and back, for casts from and to strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status/result.h"

namespace waybill::kernel::reference {

// A number in plain or scientific notation, or "inf" / "nan" in any case, with an optional sign and
// blanks around it. Errors: kInvalidArgument naming the text.
Result<double> ParseFloat(std::string_view text);

// An integer; other numbers are cut toward zero. `is_unsigned` says which 64-bit type holds the
// result. Errors: kInvalidArgument for text that is no number, or one out of range.
Result<uint64_t> ParseInteger(std::string_view text, bool is_unsigned);

// The shortest text that reads back as the same float or double; "NaN", "INF", "-INF".
std::string FloatText(float value);
std::string FloatText(double value);

}  // namespace waybill::kernel::reference
