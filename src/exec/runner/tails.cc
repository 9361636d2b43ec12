#include "exec/runner/tails.h"

#include "base/math/checked.h"
#include "exec/runner/lease.h"
#include "exec/runner/outputs.h"
#include "exec/runner/poison.h"
#include "memory/admission/admission.h"
#include "memory/source/slab_pool.h"

namespace waybill::exec {

namespace {

// Slots hold the views of a tail until another one lays them out.
void AdoptTail(std::shared_ptr<const Plan> plan, Frame& frame) {
  const uint32_t number = frame.num_tails;
  DropTails(frame);
  Tail& tail = frame.tails.emplace_back();
  for (const Binding& binding : plan->bindings) {
    frame.slots[binding.slot].tensor = binding.view;
    frame.slots[binding.slot].value = binding.constant;
  }
  for (size_t i = 1; i < plan->steps.size(); ++i) {
    const StepMode mode = plan->steps[i].mode;
    if (mode == StepMode::kElsewhere) continue;
    const bool is_laid_out = mode != StepMode::kDynamic;
    frame.home[plan->first_step + i] = is_laid_out ? number + 1 : kNobody;
  }
  tail.scratch.assign(plan->scratch_offsets.size(), nullptr);
  tail.plan = std::move(plan);
}

// A lease beside those that the run was admitted with. What is reserved for others is not free.
Status TakeMore(const RunEnv& env, const Plan& plan, Lease& lease, Frame& frame) {
  const size_t bytes = AlignUp(plan.figures.slab_bytes, SlabPool::GranuleBytes());
  if (!frame.may_start_anew) return lease.Take(**env.slabs, bytes, plan.slab_align);
  if (frame.later_bytes == 0 && bytes > env.admission->FreeBytes()) {
    frame.refused_bytes = bytes;
    return Error(Code::kOutOfMemory, "{} bytes are needed, {} of the memory budget are free", bytes,
                 env.admission->FreeBytes());
  }
  const uint64_t refusals = env.admission->budget().refusals();
  Status status = lease.Take(**env.slabs, bytes, plan.slab_align);
  if (!status.ok() && env.admission->budget().refusals() != refusals) frame.refused_bytes = bytes;
  return status;
}

// Where the offsets of the plan count from.
Result<std::byte*> TakeRegion(const Program& program, const RunEnv& env, const Plan& plan,
                              Frame& frame) {
  if (plan.region > frame.regions.size()) frame.regions.resize(plan.region);
  Lease& lease = plan.region == 0 ? frame.slab : frame.regions[plan.region - 1];
  bool fresh = false;
  if (plan.opens_region) {
    lease.Reset();
    if (plan.figures.slab_bytes == 0) return NoBytes();
    WB_RETURN_IF_ERROR(TakeMore(env, plan, lease, frame),
                       "a further slab, for values whose sizes the run found out");
    fresh = env.slab_pool == nullptr || env.slab_pool->IsFresh(lease.view());
    if (program.rules().poison_freed) PoisonFresh(lease.view());
  }
  frame.account->Enter(plan.figures, fresh);
  return lease ? lease.view().data : NoBytes();
}

}  // namespace

void DropTails(Frame& frame) {
  if (frame.tails.size() > frame.num_tails) frame.tails.resize(frame.num_tails);
}

Status AddTail(const Program& program, const RunEnv& env, std::span<const Value> outputs,
               MemoryTag tag, std::shared_ptr<const Plan> plan, Frame& frame) {
  if (frame.num_tails == frame.tails.size() || frame.tails[frame.num_tails].plan != plan) {
    AdoptTail(std::move(plan), frame);
  }
  Tail& tail = frame.tails[frame.num_tails];
  if (!tail.plan->outputs.empty()) {
    WB_RETURN_IF_ERROR(OpenOutputs(program, *tail.plan, env, outputs, tag, frame));
  }
  WB_ASSIGN_OR_RETURN(std::byte* const base, TakeRegion(program, env, *tail.plan, frame));
  BindPlan(*tail.plan, base, tail.bound_slab, tail.scratch, frame);
  ++frame.num_tails;
  return Status::Ok();
}

}  // namespace waybill::exec
