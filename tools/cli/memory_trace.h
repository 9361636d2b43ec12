// The memory report as a trace for chrome://tracing and ui.perfetto.dev.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace waybill::tools {

// From a document as `waybill memory --json` writes it. Process 1 is the plan, one microsecond a
// step: the steps, the bytes alive, each buffer as a bar in a lane of its own; within a step that
// runs bodies, the one that counts in the plan. Process 2 is what happened: runs by thread, blocks
// by source from take to give, bytes held by purpose.
nlohmann::ordered_json ChromeTrace(const nlohmann::ordered_json& report);

}  // namespace waybill::tools
