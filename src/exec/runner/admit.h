// Starting a run: waiting for its turn, then taking all the memory that its plan names.
#pragma once

#include <span>

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"
#include "memory/admission/admission.h"

namespace waybill::exec {

// Opens the outputs and binds the frame as OpenOutputs and BindFrame do, when admitted; `ticket` is
// then the run's place. While waiting the frame holds neither slab nor outputs. What
// frame.later_bytes says is reserved beside what is taken. Errors: as those; kOutOfMemory and
// kCancelled as Admission::Enter, the former with the node where the plan is fullest.
Status AdmitFrame(const Program& program, const RunEnv& env, std::span<const Value> outputs,
                  Frame& frame, AdmissionTicket& ticket);

// The same with the slab alone, taken as TakeSlab does.
Status AdmitSlab(const Program& program, const RunEnv& env, Frame& frame, AdmissionTicket& ticket);

// Whether a run that ended with `status` is to start anew: the budget refused a tail, which others
// than this run may let go of. Then it has given back all but its inputs, and frame.later_bytes
// says what it will ask for beside its plan. `tries` counts its starts.
bool MayStartAnew(const Program& program, const Status& status, int tries, Frame& frame,
                  AdmissionTicket& ticket);

}  // namespace waybill::exec
