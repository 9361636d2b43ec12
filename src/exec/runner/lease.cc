#include "exec/runner/lease.h"

#include <utility>

#include "exec/plan/control_plan.h"
#include "exec/plan/planner.h"
#include "exec/runner/poison.h"
#include "exec/runner/tails.h"
#include "memory/source/slab_pool.h"

namespace waybill::exec {

namespace {

std::unique_ptr<Frame> MakeFrame(const Program& program) {
  auto frame = std::make_unique<Frame>();
  frame->account = program.account().OpenPage();
  frame->slots.resize(program.slots().size());
  frame->outputs.resize(program.outputs().size());
  frame->output_places.resize(program.outputs().size());
  program.SetConstants(frame->slots);
  return frame;
}

std::unique_ptr<Frame> TakeFrame(const Program& program) {
  std::unique_ptr<Frame> frame = program.frames().Take();
  return frame != nullptr ? std::move(frame) : MakeFrame(program);
}

void ForgetSegments(Frame& frame) {
  frame.dynamic.clear();
  frame.tails.clear();
  frame.home.clear();
  frame.owned.clear();
}

void PrepareSegments(const Program& program, const Plan& plan, Frame& frame) {
  frame.dynamic.resize(program.steps().size());
  frame.owned.resize(program.steps().size());
  for (const StepPlan& step : plan.steps) {
    frame.home.push_back(step.mode == StepMode::kDynamic ? kNobody : 0);
  }
}

// Slots hold the views of one plan from run to run; another plan starts from clean ones.
void AdoptPlan(const Program& program, std::shared_ptr<const Plan> plan, Frame& frame) {
  frame.plan = nullptr;  // belongs to neither plan until all is done
  frame.plan_key.clear();
  for (Frame::Child& child : frame.children) {
    if (child.frame != nullptr) child.body->frames().Give(std::move(child.frame));
  }
  frame.children.clear();
  for (const Step& step : program.steps()) {
    for (const SlotId slot : step.outputs) {
      if (slot != kNoSlot) frame.slots[slot] = Slot();
    }
  }
  for (const Binding& binding : plan->bindings) {
    frame.slots[binding.slot].tensor = binding.view;
    frame.slots[binding.slot].value = binding.constant;
  }
  ForgetSegments(frame);
  if (plan->has_dynamic) PrepareSegments(program, *plan, frame);
  frame.scratch.assign(plan->scratch_offsets.size(), nullptr);
  frame.bound_slab = nullptr;
  for (size_t i = 0; i < plan->steps.size() && plan->num_children != 0; ++i) {
    if (plan->steps[i].mode != StepMode::kControl) continue;
    const ControlPlan& control = *plan->steps[i].control;
    for (size_t k = 0; k < control.bodies.size(); ++k) {
      const Program& body = program.body(program.steps()[i].bodies[k]);
      frame.children.push_back({&body, nullptr});
      if (control.bodies[k] == nullptr) continue;
      frame.children.back().frame = TakeFrame(body);
      Frame& child = *frame.children.back().frame;
      if (child.plan != control.bodies[k]) AdoptPlan(body, control.bodies[k], child);
    }
  }
  frame.plan = std::move(plan);
}

}  // namespace

FrameLease::FrameLease(const Program& program) : program_(program), frame_(TakeFrame(program)) {}

void ReleaseRun(const Program& program, Frame& frame) noexcept {
  for (size_t i = 0; i < frame.owned.size(); ++i) {
    if (std::exchange(frame.owned[i], uint8_t{0}) == 0) continue;
    for (const SlotId slot : program.steps()[i].outputs) {
      if (slot != kNoSlot) frame.slots[slot] = Slot();
    }
  }
  for (Tensor& output : frame.outputs) output = Tensor();
  for (Lease& region : frame.regions) region.Reset();
  frame.num_tails = 0;
  frame.slab.Reset();
}

FrameLease::~FrameLease() {
  Frame& frame = *frame_;
  for (const SlotId slot : program_.inputs()) frame.slots[slot] = Slot();
  for (const auto& [outer, inner] : program_.captures()) frame.slots[inner] = Slot();
  ReleaseRun(program_, frame);
  frame.next = nullptr;
  frame.refused_bytes = frame.later_bytes = 0;
  frame.may_start_anew = false;
  frame.donated.clear();
  program_.frames().Give(std::move(frame_));
}

Status FindPlan(const Program& program, const RunEnv& env, Frame& frame) {
  frame.key.clear();
  AppendPlanKey(program, frame.slots, env.width, frame.donated, frame.key);
  frame.next = nullptr;
  const bool is_there = frame.plan != nullptr && frame.key == frame.plan_key &&
                        !frame.plan->given_up.load(std::memory_order_relaxed);
  if (is_there) {
    program.plans().CountHit(*frame.plan);
    return Status::Ok();
  }
  frame.next = program.plans().Find(frame.key);
  if (frame.next != nullptr) return Status::Ok();
  PlanOptions options;
  options.source = env.plan_source();
  options.width = env.width;
  options.key = frame.key;
  options.donated = frame.donated;
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, MakePlan(program, frame.slots, options));
  const size_t bytes = plan->HeapBytes();
  frame.next = program.plans().Insert(frame.key, std::move(plan), bytes);
  return Status::Ok();
}

const std::shared_ptr<const Plan>& NextPlan(const Frame& frame) {
  return frame.next != nullptr ? frame.next : frame.plan;
}

Status TakeSlab(const Program& program, const RunEnv& env, Frame& frame) {
  if (frame.next != nullptr) {
    std::shared_ptr<const Plan> next = std::move(frame.next);
    if (frame.plan != next) AdoptPlan(program, std::move(next), frame);
    frame.plan_key = frame.key;
  }
  const Plan& use = *frame.plan;
  if (use.lease_bytes() == 0) return Status::Ok();
  return frame.slab.Take(**env.slabs, use.lease_bytes(), use.slab_align);
}

void BindPlan(const Plan& plan, std::byte* base, std::byte*& bound,
              std::vector<std::byte*>& scratch, Frame& frame) {
  const bool moved = base != bound;
  for (const Binding& binding : plan.bindings) {
    TensorView& tensor = frame.slots[binding.slot].tensor;
    switch (binding.home) {
      case Home::kSlab:
        if (moved) tensor.data = base + binding.offset;
        break;
      case Home::kOutput:
        tensor.data = frame.output_places[binding.target] + binding.offset;
        break;
      case Home::kAlias:
        tensor.data = frame.slots[binding.target].tensor.data + binding.offset;
        break;
      case Home::kNone:
      case Home::kConstant:
        break;
    }
  }
  if (moved) {
    for (size_t i = 0; i < scratch.size(); ++i) scratch[i] = base + plan.scratch_offsets[i];
  }
  bound = base;
}

void BindSlots(std::byte* base, Frame& frame) {
  BindPlan(*frame.plan, base, frame.bound_slab, frame.scratch, frame);
}

Status BindFrame(const Program& program, const RunEnv& env, Frame& frame) {
  WB_RETURN_IF_ERROR(TakeSlab(program, env, frame));
  if (!frame.slab) {
    BindSlots(NoBytes(), frame);
    return Status::Ok();
  }
  const BufferView& slab = frame.slab.view();
  const bool fresh = env.slab_pool == nullptr || env.slab_pool->IsFresh(slab);
  frame.account->Enter(frame.plan->figures, fresh);
  if (program.rules().poison_freed) PoisonFresh(slab);
  BindSlots(slab.data, frame);
  return Status::Ok();
}

}  // namespace waybill::exec
