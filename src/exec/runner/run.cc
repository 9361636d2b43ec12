#include "exec/runner/run.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "exec/plan/plan.h"
#include "exec/plan/planner.h"
#include "exec/runner/admit.h"
#include "exec/runner/control/planned.h"
#include "exec/runner/detach.h"
#include "exec/runner/dynamic.h"
#include "exec/runner/lease.h"
#include "exec/runner/outputs.h"
#include "exec/runner/overlap.h"
#include "exec/runner/poison.h"
#include "exec/runner/segments.h"
#include "exec/runner/watcher.h"
#include "kernel/api/run_context.h"
#include "parallel/pool/lease.h"

namespace waybill::exec {

namespace {

Status RunPlannedStep(const Step& step, const StepPlan& planned, const RunEnv& env, Frame& frame) {
  kernel::RunParts parts = PartsOf(step, env, frame);
  parts.scratch = {frame.scratch.data() + planned.first_scratch, planned.num_scratch};
  parts.state = planned.state.get();
  parts.pitch_bytes = planned.pitch_bytes;
  kernel::RunContext ctx(parts);
  return step.kernel->Run(ctx);
}

// Of a plan that leaves nothing open.
Status RunSteps(const Program& program, const Plan& plan, const RunEnv& env, Frame& frame) {
  const auto steps = program.steps();
  const bool poison = program.rules().poison_freed;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const StepPlan& planned = plan.steps[i];
    if (planned.mode != StepMode::kSkip) {
      if (env.terminate != nullptr && env.terminate->load(std::memory_order_relaxed)) {
        return Error(Code::kCancelled, "Exiting due to terminate flag being set to true.");
      }
      if (env.watcher != nullptr) env.watcher->Begin(program, step, frame.slots.data());
      Status status = planned.mode == StepMode::kPlanned
                          ? RunPlannedStep(step, planned, env, frame)
                          : RunPlannedControl(program, step, planned, env, frame);
      if (!status.ok()) return std::move(status).With(DescribeStep(step, frame.slots.data()));
      if (env.watcher != nullptr) env.watcher->End(program, step, frame.slots.data());
    }
    if (poison) PoisonDead(plan, static_cast<uint32_t>(i), frame.bound_slab);
  }
  return Status::Ok();
}

// What a run does between opening and closing its outputs.
Status RunPlan(const Program& program, const Plan& plan, const RunEnv& env,
               std::span<const Value> outputs, MemoryTag tag, Frame& frame) {
  if (!plan.has_dynamic) return RunSteps(program, plan, env, frame);
  return RunSegments(program, env, outputs, tag, frame);
}

// A run of its own, not that of a body, with several threads to use.
Status RunPaced(const Program& program, const Plan& plan, const RunEnv& env,
                std::span<const Value> outputs, Frame& frame) {
  uint32_t trial = Pace::kNoTrial;
  const bool use_threads = plan.pace.UseThreads(trial);
  RunEnv alone = env;
  alone.pool = nullptr;
  alone.width = 1;
  const RunEnv& chosen = use_threads ? env : alone;
  constexpr auto kTag = MemoryTag::kOutput;
  if (trial == Pace::kNoTrial) return RunPlan(program, plan, chosen, outputs, kTag, frame);
  const auto begin = std::chrono::steady_clock::now();
  WB_RETURN_IF_ERROR(RunPlan(program, plan, chosen, outputs, kTag, frame));
  plan.pace.Finish(trial, use_threads, std::chrono::steady_clock::now() - begin);
  return Status::Ok();
}

// The threads are leased when the run is admitted: one that waits keeps none from others.
Status RunAdmitted(const Program& program, const Plan& plan, const RunEnv& env,
                   std::span<const Value> outputs, Frame& frame) {
  if (env.width <= 1) return RunPlan(program, plan, env, outputs, MemoryTag::kOutput, frame);
  PoolLease lease(env.pool, env.width);
  RunEnv leased = env;
  leased.pool = &lease;
  return RunPaced(program, plan, leased, outputs, frame);
}

// Inputs that a given output lies over stay as they are only where the plan makes it there.
Status FeedDonated(const Program& program, const Plan& plan, const RunEnv& env, Frame& frame) {
  for (const Donation& donated : frame.donated) {
    const SlotId input = program.inputs()[donated.input];
    if (donated.output == Donation::kNoOutput) continue;
    if (plan.outputs[donated.output].donor == input) continue;
    Slot& slot = frame.slots[input];
    if (slot.value.defined()) continue;  // a copy already
    WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(slot.tensor, *env.dynamic, MemoryTag::kDynamic),
                        "input {}", program.value_of(input).name);
    slot.tensor = copy.view();
    slot.value = Value(std::move(copy));
  }
  return Status::Ok();
}

// Where an input had to be copied nobody knows which of the values lay in the copy: none is
// counted.
void CountDonated(const Program& program, const Frame& frame) {
  const size_t bytes = frame.plan->figures.donated_bytes;
  if (bytes == 0) return;
  for (const Donation& donated : frame.donated) {
    if (frame.slots[program.inputs()[donated.input]].value.defined()) return;
  }
  frame.account->CountDonated(bytes);
}

Status RunMain(const Program& program, const RunEnv& env, std::span<Value> outputs, Frame& frame,
               AdmissionTicket& ticket) {
  for (int tries = 1;; ++tries) {
    WB_RETURN_IF_ERROR(FindPlan(program, env, frame));
    WB_RETURN_IF_ERROR(FeedDonated(program, *NextPlan(frame), env, frame));
    WB_RETURN_IF_ERROR(AdmitFrame(program, env, outputs, frame, ticket));
    Status status = RunAdmitted(program, *frame.plan, env, outputs, frame);
    if (status.ok()) break;
    if (!MayStartAnew(program, status, tries, frame, ticket)) return status;
  }
  WB_RETURN_IF_ERROR(CloseOutputs(program, *frame.plan, env, outputs, Sharing::kNever, frame));
  CountDonated(program, frame);
  return Status::Ok();
}

// Kernels read typed elements, so bytes at an odd address are copied first, and they read while
// outputs are written, so bytes that an output lies over are.
Status FeedTensor(const Tensor& tensor, const RunEnv& env, std::span<const Value> outputs,
                  Slot& slot) {
  slot.tensor = tensor.view();
  const bool aligned =
      reinterpret_cast<uintptr_t>(slot.tensor.data) % DTypeAlign(slot.tensor.dtype) == 0;
  if (aligned && !LiesUnder(slot.tensor, outputs)) return Status::Ok();
  WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(tensor.view(), *env.dynamic, MemoryTag::kDynamic));
  slot.tensor = copy.view();
  slot.value = Value(std::move(copy));
  return Status::Ok();
}

Status FeedContainer(const Value& value, const RunEnv& env, std::span<const Value> outputs,
                     Slot& slot) {
  slot.value = value;
  if (!LiesUnder(value, outputs)) return Status::Ok();
  const Value* const held[] = {&value};
  WB_ASSIGN_OR_RETURN(slot.value, Detacher(held, *env.dynamic, MemoryTag::kDynamic).Take(value));
  return Status::Ok();
}

}  // namespace

Status Run(const Program& program, const RunEnv& env, std::span<const Value* const> inputs,
           std::span<Value> outputs) {
  if (inputs.size() != program.inputs().size() || outputs.size() != program.outputs().size()) {
    return Error(Code::kInvalidArgument,
                 "the program has {} inputs and {} outputs, given {} and {}",
                 program.inputs().size(), program.outputs().size(), inputs.size(), outputs.size());
  }
  AdmissionTicket ticket;  // released when the frame has given its slab back
  FrameLease frame(program);
  frame->donated.assign(env.donated.begin(), env.donated.end());
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    Slot& slot = frame->slots[program.inputs()[i]];
    const Tensor* tensor = inputs[i]->tensor();
    const bool donated = std::any_of(env.donated.begin(), env.donated.end(),
                                     [i](const Donation& donation) { return donation.input == i; });
    const std::span<const Value> over = donated ? std::span<const Value>() : outputs;
    WB_RETURN_IF_ERROR(tensor != nullptr ? FeedTensor(*tensor, env, over, slot)
                                         : FeedContainer(*inputs[i], env, over, slot),
                       "input {}", program.value_of(program.inputs()[i]).name);
  }
  WB_RETURN_IF_ERROR(RunMain(program, env, outputs, *frame, ticket));
  frame->account->CountRun();
  return Status::Ok();
}

Status RunBody(const Program& body, const RunEnv& env, std::span<const Slot> inputs,
               const Slot* outer, std::span<Value> outputs) {
  FrameLease frame(body);
  for (size_t i = 0; i < inputs.size(); ++i) frame->slots[body.inputs()[i]] = inputs[i];
  for (const auto& [from, to] : body.captures()) frame->slots[to] = outer[from];
  WB_RETURN_IF_ERROR(FindPlan(body, env, *frame));
  constexpr auto kTag = MemoryTag::kDynamic;
  WB_RETURN_IF_ERROR(OpenOutputs(body, *NextPlan(*frame), env, outputs, kTag, *frame));
  WB_RETURN_IF_ERROR(BindFrame(body, env, *frame));
  WB_RETURN_IF_ERROR(RunPlan(body, *frame->plan, env, outputs, kTag, *frame));
  return CloseOutputs(body, *frame->plan, env, outputs, Sharing::kAllowed, *frame);
}

Status RunBodyInPlan(const Program& body, const RunEnv& env, const Slot* outer, std::byte* slab,
                     Frame& frame) {
  const Plan& plan = *frame.plan;
  for (const auto& [from, to] : body.captures()) frame.slots[to].tensor = outer[from].tensor;
  BindSlots(slab, frame);
  if (body.rules().poison_freed) PoisonFresh({slab, plan.figures.slab_bytes, {}});
  WB_RETURN_IF_ERROR(RunSteps(body, plan, env, frame));
  for (size_t k = 0; k < plan.outputs.size(); ++k) {
    if (plan.outputs[k].mode != OutputMode::kCopy) continue;
    const TensorView& from = frame.slots[body.outputs()[k]].tensor;
    const size_t bytes = from.bytes();
    if (bytes != 0) std::memmove(frame.output_places[k], from.data, bytes);
  }
  return Status::Ok();
}

namespace {

Status PlanInFrame(const Program& program, const RunEnv& env, std::span<const TensorView> inputs,
                   Frame& frame) {
  for (size_t i = 0; i < inputs.size() && i < program.inputs().size(); ++i) {
    frame.slots[program.inputs()[i]].tensor = inputs[i];
  }
  return FindPlan(program, env, frame);
}

}  // namespace

Result<std::shared_ptr<const Plan>> PlanFor(const Program& program, const RunEnv& env,
                                            std::span<const TensorView> inputs) {
  FrameLease frame(program);
  WB_RETURN_IF_ERROR(PlanInFrame(program, env, inputs, *frame));
  return NextPlan(*frame);
}

Status Prewarm(const Program& program, const RunEnv& env, std::span<const TensorView> inputs) {
  AdmissionTicket ticket;
  FrameLease frame(program);
  WB_RETURN_IF_ERROR(PlanInFrame(program, env, inputs, *frame));
  WB_RETURN_IF_ERROR(AdmitSlab(program, env, *frame, ticket));
  const BufferView& slab = frame->slab.view();
  if (slab.bytes != 0) std::memset(slab.data, 0, slab.bytes);
  return Status::Ok();
}

}  // namespace waybill::exec
