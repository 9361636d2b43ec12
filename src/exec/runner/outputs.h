// The outputs of a run: buffers before it, values after it.
#pragma once

#include <span>
#include <string>

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

enum class Sharing : uint8_t {
  kNever,    // outputs share no bytes with anything
  kAllowed,  // bodies: outputs may share what inputs and captures own
};

// Copies `made` into the tensor that the caller gave for it, which takes the shape of `made` where
// `may_reshape` and its bytes are enough.
// Errors: kInvalidArgument naming both types, or both shapes and their bytes.
Status CopyToGiven(const std::string& name, const TensorView& made, bool may_reshape, Value& given);

// Checks that `made`, which is no tensor, may take the place of what the caller gave, if anything.
// Errors: kInvalidArgument naming both types.
Status CheckGivenKind(const std::string& name, const Value& made, const Value& given);

// Checks given outputs against the plan and gives each directly written output its buffer.
// Errors: as CopyToGiven; kOutOfMemory.
Status OpenOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                   std::span<const Value> outputs, MemoryTag tag, Frame& frame);

// Moves or copies every output to where the caller wants it. Errors: as OpenOutputs, for outputs
// whose shape is known only now.
Status CloseOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                    std::span<Value> outputs, Sharing sharing, Frame& frame);

}  // namespace waybill::exec
