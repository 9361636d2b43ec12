// What a session needs of memory and why, as JSON and as a planning problem.
#pragma once

#include <string>

#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::session {

// {"plan": {figures, "step_order": {moved_steps, file_bound_bytes, bound_bytes,
//  open_dimensions_as, not_tried}, "steps": [{node, op, mode, live_bytes, "bodies":
//  [{body, not_planned, "plan": {figures, "steps", "buffers", "values"} or null}]}], "buffers" and
//  "values" as WritePlaces, "peak": {step, node, op, bytes, "alive": [{name, bytes, offset, role,
//  first_step, last_step, next_reader}], "inside": {body, step, node, op, bytes, "alive", "inside"}
//  or null, "remedies": [{kind, bytes, text}]} or null},
//  "plan_cache": {...}, "account": {...}}. docs/schemas/memory.schema.json describes all.
std::string WriteMemory(const exec::Program& program, const exec::Plan& plan);

// The buffers of a plan and their offsets in the CSV form of memory/plan/csv; the slab of bodies is
// one of them.
std::string WritePlanCsv(const exec::Plan& plan);

}  // namespace waybill::session
