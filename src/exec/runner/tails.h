// Tails: the plans of a run after its first, with their places in its leases.
#pragma once

#include <span>

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

// frame.home of a step that no plan of the run has laid out. Else it is the number of plans before
// the one that has; what is above frame.num_tails is left over from another run.
inline constexpr uint32_t kNobody = UINT32_MAX;

// By the number of plans before it.
inline const Plan& PlanAt(const Frame& frame, uint32_t number) {
  return number == 0 ? *frame.plan : *frame.tails[number - 1].plan;
}
inline std::span<std::byte* const> ScratchAt(const Frame& frame, uint32_t number,
                                             const StepPlan& planned) {
  const auto& all = number == 0 ? frame.scratch : frame.tails[number - 1].scratch;
  return {all.data() + planned.first_scratch, planned.num_scratch};
}

// Lets `plan` be the run's next tail: takes its lease if it opens one, opens its outputs and binds
// its slots. Errors: as OpenOutputs; kOutOfMemory.
Status AddTail(const Program& program, const RunEnv& env, std::span<const Value> outputs,
               MemoryTag tag, std::shared_ptr<const Plan> plan, Frame& frame);

// Forgets the tails of earlier runs that this one did not come to.
void DropTails(Frame& frame);

}  // namespace waybill::exec
