// The memory report for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace waybill::tools {

// Prints a document as `waybill memory --json` writes it; see docs/schemas/memory.schema.json.
void PrintMemory(const nlohmann::ordered_json& report);

}  // namespace waybill::tools
