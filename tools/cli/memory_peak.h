// What `waybill memory` prints of bodies of control flow and of the fullest step.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace waybill::tools {

// A line for each control flow step of the main graph whose bodies are planned with it, to standard
// output. `plan` is the plan of a memory report.
void PrintBodies(const nlohmann::ordered_json& plan);

// The fullest step, that inside its body where it runs one, what is alive there and what would
// lower it. Nothing when nothing is planned.
void PrintPeak(const nlohmann::ordered_json& plan);

}  // namespace waybill::tools
