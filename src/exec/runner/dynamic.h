// Steps that are planned in the run, because shapes or kinds of their values were not known before.
#pragma once

#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"
#include "kernel/api/run_context.h"

namespace waybill::exec {

// What every kernel gets; scratch and state are missing.
inline kernel::RunParts PartsOf(const Step& step, const RunEnv& env, Frame& frame) {
  kernel::RunParts parts;
  parts.node = step.node;
  parts.slots = frame.slots.data();
  parts.inputs = step.inputs;
  parts.outputs = step.outputs;
  parts.pool = env.pool;
  parts.width = env.width;
  parts.dynamic_source = env.dynamic;
  return parts;
}

// The threads that the run is planned for. It may go alone after all, and the next one not.
inline size_t WidthOf(const Frame& frame) { return static_cast<size_t>(frame.key[0]); }

// The plan of a kernel step with all its inputs at hand; `own` is where one that holds only now is
// put. Errors: the kernel's.
Result<const kernel::PlanRecord*> PlanInRun(const Program& program, const Step& step, Frame& frame,
                                            kernel::PlanRecord& own);

// Whether it sizes all wanted outputs.
bool IsComplete(const Step& step, const kernel::PlanRecord& record);

// Runs the step by that plan; outputs own their bytes.
Status RunDynamicStep(const Program& program, const Step& step, const kernel::PlanRecord& record,
                      const RunEnv& env, Frame& frame);

// Puts `value` into a slot; does nothing for kNoSlot.
void SetSlot(Frame& frame, SlotId slot, Value value);

}  // namespace waybill::exec
