// Time by node and by operator, from the session's profile.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace waybill::tools {

// From ProfileJson's document: {"runs", "total_us", "nodes": [...], "operators": [...]}, the most
// expensive first; all times are microseconds of one run. "least_us" is what the node would take
// if each call were as quick as its quickest.
nlohmann::ordered_json SummarizeProfile(const nlohmann::ordered_json& profile);

// The `top` most expensive nodes (0: all), then all operators.
void PrintProfile(const nlohmann::ordered_json& summary, size_t top);

}  // namespace waybill::tools
