// Control flow whose bodies were planned with what is around them: nothing is allocated, planned or
// looked up, and results are written where they belong.
#pragma once

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

// Runs an If, Loop or Scan step of StepMode::kControl. Errors: as RunControlStep.
Status RunPlannedControl(const Program& program, const Step& step, const StepPlan& planned,
                         const RunEnv& env, Frame& frame);

}  // namespace waybill::exec
