// Plans and kernel choices as numbers and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json_writer.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/profile.h"
#include "graph/rewrite/rewrite.h"
#include "session/session.h"

namespace waybill::session {

PlanReport ReportOf(const exec::Plan& plan);

// "skip", "planned", "dynamic".
std::string_view StepModeName(exec::StepMode mode);
// "portfolio", "local moves", "search", "template", "room", "no reuse", "nobody".
std::string_view PlacedByName(exec::PlacedBy by);

// Parts of the documents below and of others: members of the object that is open.
void WriteFigures(const exec::Plan& plan, JsonWriter& json);
void WritePlanCache(const exec::Program& program, JsonWriter& json);

// {"planned_bytes", "bound_bytes", "no_reuse_bytes", counts, "steps": [{node, mode, kernel}],
//  "buffers" and "values" as WritePlaces, "plan_cache": {...}}
std::string WritePlan(const exec::Program& program, const exec::Plan& plan);

// {"patches": [{number, patch, node, what, refused}], "stopped", "folded_growth_bytes"}
std::string WritePatches(const graph::RewriteReport& rewrites);

// {"nodes": [{node, kernel, provider, refusals: [{kernel, reason}]}]}
std::string WriteKernels(const exec::BuildReport& build);

// {"runs", "steps": [{node, op, kernel, inputs, calls, total_ns, least_ns}]}, in the order of the
// program; steps that never ran are left out, those of bodies carry their owner's name before
// theirs.
std::string WriteProfile(const exec::Program& program, const exec::RunProfile& profile,
                         uint64_t runs);

}  // namespace waybill::session
