// Steps that are planned in the run, because shapes or kinds of their values were not known before.
#pragma once

#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

// Plans and runs one kernel step with all its inputs at hand; outputs own their bytes.
Status RunDynamicStep(const Program& program, const Step& step, const RunEnv& env, Frame& frame);

// Puts `value` into a slot; does nothing for kNoSlot.
void SetSlot(Frame& frame, SlotId slot, Value value);

}  // namespace waybill::exec
