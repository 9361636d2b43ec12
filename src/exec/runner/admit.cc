#include "exec/runner/admit.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/math/checked.h"
#include "exec/plan/fullest.h"
#include "exec/runner/lease.h"
#include "exec/runner/outputs.h"
#include "memory/admission/budget_source.h"
#include "memory/source/slab_pool.h"

namespace waybill::exec {

namespace {

// A run with a slab up to this size is over sooner than a thread is woken, and a few of them are no
// burden: by default they are not counted.
constexpr size_t kSmallSlabBytes = size_t{256} << 10;

// How often a run that was admitted tries again because others took what was free; after some tries
// at once it leaves them time.
constexpr int kMostTries = 100;
constexpr int kQuickTries = 10;
constexpr std::chrono::milliseconds kPause{1};

struct OutputBytes {
  size_t early = 0;  // taken before the first step
  size_t late = 0;   // taken after the last
};

// Of outputs that the run makes and whose shapes are known. Sizes beyond the address space are
// refused where they are taken.
OutputBytes BytesOfOutputs(const Plan& plan, std::span<const Value> outputs) {
  OutputBytes sum;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const OutputPlan& planned = plan.outputs[k];
    if (planned.mode == OutputMode::kDynamic || outputs[k].defined()) continue;
    const auto bytes = DTypeBytes(planned.dtype, static_cast<size_t>(planned.shape.elems()));
    if (!bytes) continue;
    size_t& part = planned.mode == OutputMode::kDirect ? sum.early : sum.late;
    part += BudgetSource::ChargedBytes(*bytes);
  }
  return sum;
}

AdmissionRequest RequestOf(const RunEnv& env, const Plan& plan, const OutputBytes& outputs,
                           size_t later_bytes) {
  const size_t slab_bytes = plan.lease_bytes();
  AdmissionRequest request;
  request.slab_bytes = AlignUp(slab_bytes, SlabPool::GranuleBytes()) + later_bytes;
  request.output_bytes = outputs.early + outputs.late;
  const bool counted =
      env.counts_small_slabs ? slab_bytes != 0 : request.slab_bytes > kSmallSlabBytes;
  request.max_inflight = counted ? env.max_inflight : 0;
  request.timeout_ms = env.admission_timeout_ms;
  request.cancel = env.terminate;
  return request;
}

void GiveBack(Frame& frame) {
  for (Tensor& output : frame.outputs) output = Tensor();
  frame.slab.Reset();
}

template <typename Take>
Status TryToAdmit(const RunEnv& env, std::span<const Value> outputs, Frame& frame,
                  AdmissionTicket& ticket, Take&& take) {
  if (env.admission == nullptr) return take();
  const Plan& plan = *NextPlan(frame);
  const MemoryBudget& budget = env.admission->budget();
  OutputBytes bytes;
  if (budget.limited()) bytes = BytesOfOutputs(plan, outputs);
  const AdmissionRequest request = RequestOf(env, plan, bytes, frame.later_bytes);
  WB_RETURN_IF_ERROR(env.admission->Enter(request, ticket));
  for (int tries = 1;; ++tries) {
    const uint64_t refusals = budget.refusals();
    Status status = take();
    if (status.ok()) break;
    GiveBack(frame);
    // Only what the budget refused may be there later, and only a run of its own may wait for it.
    const bool may_wait = ticket.holds_bytes() && status.code() == Code::kOutOfMemory &&
                          budget.refusals() != refusals && tries < kMostTries;
    if (!may_wait) return status;
    if (tries > kQuickTries) std::this_thread::sleep_for(kPause);
    WB_RETURN_IF_ERROR(env.admission->Reenter(request, ticket));
  }
  ticket.Settle(bytes.late + frame.later_bytes);
  if (plan.has_dynamic) frame.may_start_anew = ticket.holds_bytes();
  return Status::Ok();
}

// Of NextPlan, which `take` makes the frame's. A refusal says where the plan is fullest.
template <typename Take>
Status Admit(const Program& program, const RunEnv& env, std::span<const Value> outputs,
             Frame& frame, AdmissionTicket& ticket, Take&& take) {
  Status status = TryToAdmit(env, outputs, frame, ticket, std::forward<Take>(take));
  if (status.code() != Code::kOutOfMemory) return status;
  const std::string where = DescribeFullest(program, *NextPlan(frame));
  return where.empty() ? std::move(status) : std::move(status).With(where);
}

}  // namespace

Status AdmitFrame(const Program& program, const RunEnv& env, std::span<const Value> outputs,
                  Frame& frame, AdmissionTicket& ticket) {
  return Admit(program, env, outputs, frame, ticket, [&]() -> Status {
    WB_RETURN_IF_ERROR(
        OpenOutputs(program, *NextPlan(frame), env, outputs, MemoryTag::kOutput, frame));
    return BindFrame(program, env, frame);
  });
}

Status AdmitSlab(const Program& program, const RunEnv& env, Frame& frame, AdmissionTicket& ticket) {
  return Admit(program, env, {}, frame, ticket, [&] { return TakeSlab(program, env, frame); });
}

bool MayStartAnew(const Program& program, const Status& status, int tries, Frame& frame,
                  AdmissionTicket& ticket) {
  const size_t refused = std::exchange(frame.refused_bytes, 0);
  if (refused == 0 || status.code() != Code::kOutOfMemory || tries >= kMostTries) return false;
  frame.later_bytes = refused;
  for (const Lease& region : frame.regions) {
    if (region) frame.later_bytes += AlignUp(region.view().bytes, SlabPool::GranuleBytes());
  }
  ReleaseRun(program, frame);
  ticket.Release();
  return true;
}

}  // namespace waybill::exec
