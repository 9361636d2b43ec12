// Who looks on while a run goes from step to step.
#pragma once

#include "exec/program/program.h"
#include "exec/program/step.h"

namespace waybill::exec {

// Called on the run's own thread, around each step that runs; the steps of bodies lie within the
// step that has them. `slots` are the frame's: the next step may overwrite what lies behind them.
class StepWatcher {
 public:
  virtual ~StepWatcher() = default;
  virtual void Begin(const Program& program, const Step& step, const Slot* slots) = 0;
  // Not called for a step that failed: the run ends with it.
  virtual void End(const Program& program, const Step& step, const Slot* slots) = 0;
};

}  // namespace waybill::exec
