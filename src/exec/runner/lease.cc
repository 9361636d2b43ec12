#include "exec/runner/lease.h"

#include "exec/plan/planner.h"
#include "memory/source/slab_pool.h"

namespace waybill::exec {

namespace {

std::unique_ptr<Frame> MakeFrame(const Program& program) {
  auto frame = std::make_unique<Frame>();
  frame->slots.resize(program.slots().size());
  frame->outputs.resize(program.outputs().size());
  for (const PlacedConstant& constant : program.constants()) {
    Slot& slot = frame->slots[constant.slot];
    slot.tensor = constant.tensor.view();
    if (slot.tensor.data != nullptr) slot.value = Value(constant.tensor);
  }
  return frame;
}

// Slots hold the views of one plan from run to run; another plan starts from clean ones.
void AdoptPlan(const Program& program, std::shared_ptr<const Plan> plan, Frame& frame) {
  frame.plan = nullptr;  // belongs to neither plan until all is done
  for (const Step& step : program.steps()) {
    for (const SlotId slot : step.outputs) {
      if (slot != kNoSlot) frame.slots[slot] = Slot();
    }
  }
  for (const Binding& binding : plan->bindings) {
    frame.slots[binding.slot].tensor = binding.view;
    frame.slots[binding.slot].value = binding.constant;
  }
  frame.dynamic.clear();
  if (plan->has_dynamic) frame.dynamic.resize(program.steps().size());
  frame.scratch.assign(plan->scratch_offsets.size(), nullptr);
  frame.bound_slab = nullptr;
  frame.plan = std::move(plan);
}

}  // namespace

FrameLease::FrameLease(const Program& program)
    : program_(program), frame_(program.frames().Take()) {
  if (frame_ == nullptr) frame_ = MakeFrame(program);
}

FrameLease::~FrameLease() {
  Frame& frame = *frame_;
  for (const SlotId slot : program_.inputs()) frame.slots[slot] = Slot();
  for (const auto& [outer, inner] : program_.captures()) frame.slots[inner] = Slot();
  if (frame.plan != nullptr && frame.plan->has_dynamic) {
    for (size_t i = 0; i < program_.steps().size(); ++i) {
      if (frame.plan->steps[i].mode != StepMode::kDynamic) continue;
      for (const SlotId slot : program_.steps()[i].outputs) {
        if (slot != kNoSlot) frame.slots[slot] = Slot();
      }
    }
  }
  for (Tensor& output : frame.outputs) output = Tensor();
  frame.slab.Reset();
  program_.frames().Give(std::move(frame_));
}

Result<std::shared_ptr<const Plan>> FindPlan(const Program& program, const RunEnv& env,
                                             Frame& frame) {
  frame.key.clear();
  AppendPlanKey(program, frame.slots, env.width, frame.key);
  if (auto plan = program.plans().Find(frame.key)) return plan;
  PlanOptions options;
  options.source = *env.dynamic;
  options.width = env.width;
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, MakePlan(program, frame.slots, options));
  return program.plans().Insert(frame.key, std::move(plan));
}

Status BindFrame(const Program& program, const RunEnv& env, std::shared_ptr<const Plan> plan,
                 Frame& frame) {
  if (frame.plan != plan) AdoptPlan(program, std::move(plan), frame);
  const Plan& use = *frame.plan;
  std::byte* base = NoBytes();
  if (use.figures.slab_bytes > 0) {
    WB_ASSIGN_OR_RETURN(frame.slab, Buffer::Allocate(*env.slabs, use.figures.slab_bytes,
                                                     use.slab_align, MemoryTag::kSlab));
    base = frame.slab.view().data;
    const bool fresh = env.slab_pool == nullptr || env.slab_pool->IsFresh(frame.slab.view());
    program.account().Enter(use.figures, fresh);
  }
  const bool moved = base != frame.bound_slab;
  for (const Binding& binding : use.bindings) {
    TensorView& tensor = frame.slots[binding.slot].tensor;
    switch (binding.home) {
      case Home::kSlab:
        if (moved) tensor.data = base + binding.offset;
        break;
      case Home::kOutput:
        tensor.data = frame.outputs[binding.target].view().data;
        break;
      case Home::kAlias:
        tensor.data = frame.slots[binding.target].tensor.data;
        break;
      case Home::kNone:
      case Home::kConstant:
        break;
    }
  }
  if (moved) {
    for (size_t i = 0; i < frame.scratch.size(); ++i) {
      frame.scratch[i] = base + use.scratch_offsets[i];
    }
  }
  frame.bound_slab = base;
  return Status::Ok();
}

}  // namespace waybill::exec
