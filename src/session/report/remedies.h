// Remedies: what could make the peak of a plan smaller.
#pragma once

#include "exec/plan/plan.h"
#include "session/report/peak.h"

namespace waybill::session {

// Fills the remedies of `peak`, which is that of `plan`; takes over those of the peak inside it.
void AddRemedies(const exec::Plan& plan, Peak& peak);

}  // namespace waybill::session
