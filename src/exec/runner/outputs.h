// The outputs of a run: buffers before it, values after it.
#pragma once

#include <span>

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

enum class Sharing : uint8_t {
  kNever,    // outputs share no bytes with anything
  kAllowed,  // bodies: outputs may share what inputs and captures own
};

// Checks given outputs against the plan and gives each directly written output its buffer.
// Errors: kInvalidArgument naming both types or shapes; kOutOfMemory.
Status OpenOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                   std::span<const Value> outputs, MemoryTag tag, Frame& frame);

// Moves or copies every output to where the caller wants it. Errors: as OpenOutputs, for outputs
// whose shape is known only now.
Status CloseOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                    std::span<Value> outputs, Sharing sharing, Frame& frame);

}  // namespace waybill::exec
