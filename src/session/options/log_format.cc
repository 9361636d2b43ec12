#include "session/options/log_format.h"

#include <algorithm>
#include <ctime>

namespace waybill::session {

std::string FormatLogLine(int64_t unix_ns, Severity severity, std::string_view category,
                          std::string_view log_id, std::string_view location,
                          std::string_view message, bool coloured) {
  constexpr char kLetters[] = {'V', 'I', 'W', 'E', 'F'};
  constexpr std::string_view kColours[] = {"", "", "\x1b[0;93m", "\x1b[1;31m", "\x1b[0;37;41m"};
  const auto level = static_cast<size_t>(std::clamp(static_cast<int>(severity), 0, 4));
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char when[32];
  std::strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &parts);
  std::string fraction = Format("{}", unix_ns % 1'000'000'000);
  fraction.insert(0, 9 - fraction.size(), '0');
  const std::string_view colour = coloured ? kColours[level] : std::string_view();
  const std::string_view reset = colour.empty() ? "" : "\x1b[m";
  return Format("{}{}.{} [{}:{}:{}, {}] {}{}\n", colour, when, fraction, kLetters[level], category,
                log_id, location, message, reset);
}

}  // namespace waybill::session
