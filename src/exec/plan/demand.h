// Demand: what a plan asks of its slab, for the account of reuse.
#pragma once

#include <span>

#include "exec/plan/plan.h"

namespace waybill::exec {

// Fills no_reuse_bytes, requests and fresh_requests of `figures` from the placed buffers. A request
// of no bytes is none. In a slab that was there before a run, every request is served from bytes
// that are held; in a fresh one, fresh_requests are not.
void CountDemand(std::span<const PlannedBuffer> buffers, PlanFigures& figures);

}  // namespace waybill::exec
