#include "session/load/admit_load.h"

#include <algorithm>
#include <chrono>

#include "memory/source/hub.h"

namespace waybill::session {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

// What to wait for after a load that had been granted `granted` and ended for want of memory while
// `lacked` bytes were free.
WeightNeed NeedAfter(const LoadPlace& place, const WeightNeed& granted, size_t lacked) {
  WeightNeed need = place.need();
  // Else it lacked what nobody knew of.
  if (place.refused() && need.bytes() > granted.bytes()) return need;
  if (need.bytes() <= lacked) need.more = lacked + 1 - need.bytes();
  return need;
}

}  // namespace

Status LoadPlace::Ask(const WeightNeed& need, size_t taken, bool in_all) {
  need_ = need;
  const size_t to_come = need.bytes() - std::min(need.bytes(), taken);
  const size_t wanted = in_all ? to_come : std::max(to_come, ticket_.reserved_bytes());
  refused_ = !admission_.TryReserve(wanted, ticket_);
  if (!refused_) return Status::Ok();
  return Error(Code::kOutOfMemory, "{} more bytes for weights are not free within the budget",
               to_come);
}

Status AdmitLoad(Env& env, const SessionOptions& options, int64_t timeout_ms,
                 const std::function<Status(LoadPlace&)>& load) {
  const MemoryBudget& budget = *env.hub().budget;
  Admission& admission = *env.hub().admission;
  AdmissionRequest request;
  request.cancel = options.cancel_load;
  request.timeout_ms = timeout_ms;
  AdmissionTicket ticket;
  const auto wait = [&](auto&& enter) {
    const auto start = Clock::now();
    Status status = enter();
    const auto waited = duration_cast<milliseconds>(Clock::now() - start).count();
    if (timeout_ms > 0) request.timeout_ms = std::max<int64_t>(request.timeout_ms - waited, 0);
    return status;
  };
  WB_RETURN_IF_ERROR(wait([&] { return admission.Enter(request, ticket); }));
  while (true) {
    LoadPlace place(admission, ticket);
    const uint64_t refusals = budget.refusals();
    const size_t free_before = admission.FreeBytes() + ticket.reserved_bytes();
    Status status = load(place);
    const bool may_wait = ticket.holds_bytes() && status.code() == Code::kOutOfMemory &&
                          (place.refused() || budget.refusals() != refusals);
    if (!may_wait) return status;
    ticket.Settle();
    // What others took or gave back meanwhile may have been what it lacked.
    const size_t lacked = std::min(free_before, admission.FreeBytes());
    request.weights = NeedAfter(place, request.weights, lacked);
    if (Status waited = wait([&] { return admission.Reenter(request, ticket); }); !waited.ok()) {
      // Where the load did not know its need, it says best what was missing.
      const bool knew = place.refused() || waited.code() == Code::kCancelled;
      return knew ? waited : std::move(status).With(waited.message());
    }
  }
}

}  // namespace waybill::session
