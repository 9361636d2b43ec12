#include "session/load/admit_load.h"

#include <algorithm>

#include "memory/source/hub.h"

namespace waybill::session {

Status AdmitLoad(Env& env, const SessionOptions& options, const std::function<Status()>& load) {
  const MemoryBudget& budget = *env.hub().budget;
  Admission& admission = *env.hub().admission;
  AdmissionRequest request;
  request.cancel = options.cancel_load;
  AdmissionTicket ticket;
  WB_RETURN_IF_ERROR(admission.Enter(request, ticket));
  while (true) {
    const uint64_t refusals = budget.refusals();
    const size_t free_before = admission.FreeBytes();
    Status status = load();
    const bool may_wait = ticket.holds_bytes() && status.code() == Code::kOutOfMemory &&
                          budget.refusals() != refusals;
    if (!may_wait) return status;
    // What others took or gave back meanwhile may have been what it lacked.
    request.weight_bytes = std::min(free_before, admission.FreeBytes()) + 1;
    if (Status waited = admission.Reenter(request, ticket); !waited.ok()) {
      // The load says best what was missing.
      return waited.code() == Code::kCancelled ? waited : std::move(status).With(waited.message());
    }
    ticket.Settle();  // counted as they are taken
  }
}

}  // namespace waybill::session
