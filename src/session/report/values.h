// The buffers of a plan and every value with its place in them, as JSON.
#pragma once

#include "base/json/json_writer.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::session {

// "buffers": [{name, kind, device, values, first_step, last_step, bytes, align, offset}] and
// "values": [{name, kind, device, bytes, first_step, last_step, is_output, pitch_bytes,
// buffer, of, offset}], as members of the object that is open; docs/schemas/memory.schema.json
// describes them. Of a plan that is no tail: inputs, captures and constants of `program` too, and
// values that only runs size. Shapes of inputs are those that the program's cache knows the plan
// by, else the declared ones.
void WritePlaces(const exec::Program& program, const exec::Plan& plan, bool is_tail,
                 JsonWriter& json);

}  // namespace waybill::session
