// How a log line looks on stderr.
#pragma once

#include <string>
#include <string_view>

#include "session/options/env.h"

namespace waybill::session {

// "2026-01-31 12:00:00.123456789 [W:onnxruntime:id, location] message", with an end of line;
// `coloured` by severity, for terminals. `unix_ns` is the time in nanoseconds since 1970.
std::string FormatLogLine(int64_t unix_ns, Severity severity, std::string_view category,
                          std::string_view log_id, std::string_view location,
                          std::string_view message, bool coloured);

}  // namespace waybill::session
