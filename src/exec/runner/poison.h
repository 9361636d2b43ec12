// Poison: bytes that must not be read are all ones, so that a plan or kernel that relies on old
// contents shows in the outputs (NaN as floats, -1 as integers). For tests, see PlanRules.
#pragma once

#include <cstdint>

#include "exec/plan/plan.h"
#include "tensor/tensor/tensor.h"

namespace waybill::exec {

// Bytes that nobody has written yet. Not for strings.
void PoisonFresh(const BufferView& bytes);

// What nobody needs any more after step `step` of a run of the plan whose bytes are from `base` on.
void PoisonDead(const Plan& plan, uint32_t step, std::byte* base);

}  // namespace waybill::exec
