#include "kernel/reference/math/cast/text.h"

#include <charconv>
#include <cmath>

namespace waybill::kernel::reference {

namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// from_chars knows no plus sign.
std::string_view DropPlus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

Status NotANumber(std::string_view text) {
  return Error(Code::kInvalidArgument, "\"{}\" is not a number", text.substr(0, 100));
}

template <typename T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <typename T>
std::string Shortest(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return error == std::errc() ? std::string(buffer, end) : std::string();
}

}  // namespace

Result<double> ParseFloat(std::string_view text) {
  const std::string_view number = DropPlus(Trim(text));
  double value = 0;
  const char* last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return NotANumber(text);
  if (error == std::errc::result_out_of_range) {
    // Too large or too small for a double: the exponent's sign tells which.
    const size_t exponent = number.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < number.size()
                          ? number[exponent + 1] == '-'
                          : number.find('.') < 2;
    value = tiny ? 0 : HUGE_VAL;
    if (number[0] == '-') value = -value;
  }
  return value;
}

Result<uint64_t> ParseInteger(std::string_view text, bool is_unsigned) {
  const std::string_view number = DropPlus(Trim(text));
  if (is_unsigned) {
    uint64_t value = 0;
    if (ParseWhole(number, value)) return value;
  } else {
    int64_t value = 0;
    if (ParseWhole(number, value)) return static_cast<uint64_t>(value);
  }
  WB_ASSIGN_OR_RETURN(const double value, ParseFloat(text));
  const bool fits =
      is_unsigned ? value > -1.0 && value < 0x1p64 : value >= -0x1p63 && value < 0x1p63;
  if (!fits) {
    return Error(Code::kInvalidArgument, "\"{}\" does not fit the integer type",
                 text.substr(0, 100));
  }
  if (is_unsigned) return static_cast<uint64_t>(value < 0 ? 0 : value);
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

std::string FloatText(float value) { return Shortest(value); }
std::string FloatText(double value) { return Shortest(value); }

}  // namespace waybill::kernel::reference
