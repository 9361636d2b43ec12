// Runs of programs whose plan leaves something open: wherever a size is found out, a tail of the
// plan takes over what can be laid out from there on.
#pragma once

#include <span>

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

// Tails of one run; what they leave open runs step by step with memory of its own.
inline constexpr uint32_t kMaxTails = 64;

// Runs all steps. `outputs` are the caller's, of which tails open theirs as OpenOutputs does.
// Errors: as Run. For a tail that the budget refused, frame.refused_bytes says how much it was.
Status RunSegments(const Program& program, const RunEnv& env, std::span<const Value> outputs,
                   MemoryTag tag, Frame& frame);

}  // namespace waybill::exec
