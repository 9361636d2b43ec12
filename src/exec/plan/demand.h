// Demand: what a plan asks of its slab, for the account of reuse.
#pragma once

#include <cstddef>
#include <span>

#include "exec/plan/plan.h"

namespace waybill::exec {

// How many of the requests for these placed buffers a slab fresh from the system has to give bytes
// that no earlier one of the run had. A request of no bytes is none; in place of the slab of bodies
// stand the buffers of the widest of them. In a slab that was there before the run, every request
// is served from bytes that are held.
size_t FreshRequests(std::span<const PlannedBuffer> buffers);

// Adds to `figures` what the bodies planned in the steps count, but for bytes and requests that the
// layout has counted.
void CountBodies(std::span<const StepPlan> steps, PlanFigures& figures);

}  // namespace waybill::exec
