// Where a plan is fullest: bytes alive by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exec/plan/control_plan.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::exec {

// What the buffer is in the bound of its plan, and that rounded up to its alignment: of the slab of
// bodies, the largest bound.
size_t LeastBytes(const PlannedBuffer& buffer);
size_t RoundedBytes(const PlannedBuffer& buffer);

// Bytes alive at each step of the plan, which is no tail, each buffer rounded up to its alignment;
// the largest is the plan's bound.
std::vector<size_t> LiveBytes(const Plan& plan);
// The first of the fullest steps, with its bytes. The plan, no tail, has steps.
std::pair<uint32_t, size_t> FullestStep(const Plan& plan);
// The planned body of a step that counts in its plan: the first with the most bytes alive.
size_t FullestBody(const ControlPlan& control);

// "the plan is fullest at step 3, node /l1/conv (Conv-11), with 4096 bytes", and where inside when
// that step runs bodies: context for the refusal of a run. Where the slab is empty, the largest
// output with its node; empty when neither has bytes. `plan`, no tail, is one of `program`.
std::string DescribeFullest(const Program& program, const Plan& plan);

}  // namespace waybill::exec
