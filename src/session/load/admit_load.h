// Making a session waits for memory like a run does.
#pragma once

#include <functional>

#include "base/status/status.h"
#include "session/options/options.h"

namespace waybill::session {

// Calls `load` when those that came before are served. When the budget refused it bytes, and it has
// given back what it had, it is called again as soon as more is free than it did not do with.
// Errors: those of `load`; as Admission::Enter, options.cancel_load ending the wait.
Status AdmitLoad(Env& env, const SessionOptions& options, const std::function<Status()>& load);

}  // namespace waybill::session
