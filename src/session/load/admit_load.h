// Making a session waits for memory like a run does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/status/status.h"
#include "memory/admission/admission.h"
#include "session/options/options.h"

namespace waybill::session {

// The place of one load among all that want memory. It learns what it needs step by step; each step
// asks before it takes.
class LoadPlace {
 public:
  // Both borrowed.
  LoadPlace(Admission& admission, AdmissionTicket& ticket)
      : admission_(admission), ticket_(ticket) {}

  // Whether there is a budget that has to be asked.
  bool limited() const { return ticket_.holds_bytes(); }
  // The load will come to `need` at least, or, as far as anybody can know, `in_all`; `taken` bytes
  // of it are there. Errors: kOutOfMemory when the others are not free: the load gives up what it
  // has.
  Status Ask(const WeightNeed& need, size_t taken, bool in_all);

  // What it may have from here on, as things are.
  size_t FreeBytes() const { return admission_.FreeBytes() + ticket_.reserved_bytes(); }

  const WeightNeed& need() const { return need_; }  // asked for last
  bool refused() const { return refused_; }

 private:
  Admission& admission_;
  AdmissionTicket& ticket_;
  WeightNeed need_;
  bool refused_ = false;
};

// Calls `load` when those that came before are served. When it was refused bytes, by its place or
// by the budget, and has given back what it had, it is called again as soon as they are free.
// All its waits together last `timeout_ms` at most; 0: none at all; negative: as long as it takes.
// Errors: those of `load`; as Admission::Enter, options.cancel_load ending the wait. A session that
// is larger than the budget is kOutOfMemory at once, with what it would have held.
Status AdmitLoad(Env& env, const SessionOptions& options, int64_t timeout_ms,
                 const std::function<Status(LoadPlace&)>& load);

}  // namespace waybill::session
