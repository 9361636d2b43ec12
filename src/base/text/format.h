// Format("{} of {}", a, b): text from values, for messages and reports. (No <format> in GCC 12.)
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace waybill {

namespace text {

void Append(std::string& out, std::string_view value);
void Append(std::string& out, bool value);
void Append(std::string& out, char value);
void Append(std::string& out, double value);  // shortest text that reads back the same
void AppendSigned(std::string& out, long long value);
void AppendUnsigned(std::string& out, unsigned long long value);

template <typename T>
requires(std::integral<T> && !std::same_as<T, bool> &&
         !std::same_as<T, char>) void Append(std::string& out, T value) {
  if constexpr (std::signed_integral<T>) {
    AppendSigned(out, value);
  } else {
    AppendUnsigned(out, value);
  }
}
inline void Append(std::string& out, float value) { Append(out, static_cast<double>(value)); }
inline void Append(std::string& out, const char* value) { Append(out, std::string_view(value)); }

// A type with `std::string ToString() const` formats as that text.
template <typename T>
requires requires(const T& t) {
  { t.ToString() } -> std::convertible_to<std::string>;
}
void Append(std::string& out, const T& value) { out += value.ToString(); }

// A span or vector formats as "[a, b, c]".
template <typename T>
void Append(std::string& out, std::span<const T> values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ", ";
    Append(out, values[i]);
  }
  out += ']';
}
template <typename T>
void Append(std::string& out, const std::vector<T>& values) {
  Append(out, std::span<const T>(values));
}

// Appends `pattern` up to and without its next "{}", and removes both from it.
void AppendUntilHole(std::string& out, std::string_view& pattern);

}  // namespace text

// Replaces each "{}" of `pattern` by the next argument. Missing arguments leave "{}" in the text,
// surplus ones are appended, so a wrong pattern can never lose information or fail.
template <typename... Args>
std::string Format(std::string_view pattern, const Args&... args) {
  std::string out;
  ((text::AppendUntilHole(out, pattern), text::Append(out, args)), ...);
  out += pattern;
  return out;
}

}  // namespace waybill
