#include "exec/runner/dynamic.h"

#include <algorithm>
#include <vector>

#include "exec/plan/plan.h"
#include "kernel/api/run_context.h"

namespace waybill::exec {

namespace {

using kernel::PlanContext;
using kernel::PlanInput;
using kernel::PlanRecord;

std::vector<PlanInput> GatherInputs(const Step& step, const Frame& frame) {
  std::vector<PlanInput> inputs(step.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (step.inputs[i] == kNoSlot) continue;
    const Slot& slot = frame.slots[step.inputs[i]];
    const bool is_tensor = !slot.value.defined() || slot.value.tensor() != nullptr;
    if (is_tensor) {
      inputs[i].tensor = &slot.tensor;
      inputs[i].known = slot.tensor.data != nullptr || slot.tensor.bytes() == 0;
    } else {
      inputs[i].value = &slot.value;
      inputs[i].known = true;
    }
  }
  return inputs;
}

bool AreTensors(std::span<const PlanInput> inputs) {
  return std::none_of(inputs.begin(), inputs.end(),
                      [](const PlanInput& input) { return input.value != nullptr; });
}

// Contents that are worth a comparison in every run.
bool IsSmall(const TensorView& tensor) {
  constexpr int64_t kMostElems = 64;
  return tensor.dtype != DType::kString && tensor.elems() <= kMostElems;
}

bool Matches(const DynamicPlan& plan, const Step& step, const Frame& frame) {
  if (!plan.valid) return false;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == kNoSlot) continue;
    const Slot& slot = frame.slots[step.inputs[i]];
    const DynamicPlan::Input& input = plan.inputs[i];
    if (slot.value.defined() && slot.value.tensor() == nullptr) return false;
    if (slot.tensor.dtype != input.dtype || !(slot.tensor.shape == input.shape)) return false;
    if (!std::equal(input.contents.begin(), input.contents.end(), slot.tensor.data)) return false;
  }
  return true;
}

// Contents that are the same in every run with the frame's plan.
bool IsFixed(const Program& program, const Frame& frame, SlotId slot) {
  if (program.slots()[slot].origin == Origin::kConstant) return true;
  const auto& bindings = frame.plan->bindings;
  return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
    return binding.slot == slot && binding.home == Home::kConstant;
  });
}

// Plans without looking at contents that another run may have otherwise, but for those that
// plan.needs says, which are kept. True when that was enough: then the plan holds for these.
Result<bool> PlanBlind(const Program& program, const Step& step, std::span<const PlanInput> inputs,
                       const Frame& frame, DynamicPlan& plan) {
  std::vector<TensorView> views(inputs.size());
  std::vector<PlanInput> blind(inputs.begin(), inputs.end());
  plan.valid = false;
  plan.inputs.assign(inputs.size(), {});
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (step.inputs[i] == kNoSlot) continue;
    const TensorView& tensor = *inputs[i].tensor;
    plan.inputs[i] = {tensor.dtype, tensor.shape, {}};
    if (IsFixed(program, frame, step.inputs[i])) continue;
    if (plan.needs == DynamicPlan::Needs::kSmallContents && IsSmall(tensor)) {
      plan.inputs[i].contents.assign(tensor.data, tensor.data + tensor.bytes());
      continue;
    }
    views[i] = tensor;
    views[i].data = nullptr;
    blind[i] = {&views[i], nullptr, false};
  }
  PlanContext ctx(graph::NodeRef(program.graph(), *step.node), blind, WidthOf(frame));
  WB_RETURN_IF_ERROR(step.kernel->Plan(ctx));
  if (!IsComplete(step, ctx.record())) return false;
  plan.record = std::move(ctx.record());
  plan.valid = true;
  return true;
}

// A view in a dynamic step may outlive the bytes that it looks at, unless these are owned by the
// input's value or belong to the caller of the run.
Status PlaceView(const Program& program, const Step& step, const PlanRecord::Output& out,
                 SlotId slot, const RunEnv& env, Frame& frame) {
  const SlotId source_id = step.inputs[*out.view_of];
  const Slot& source = frame.slots[source_id];
  const Origin origin = program.slots()[source_id].origin;
  if (source.value.defined()) {
    WB_ASSIGN_OR_RETURN(Tensor view,
                        Tensor::Wrap(out.dtype, *out.shape, source.value.tensor()->storage()));
    SetSlot(frame, slot, Value(std::move(view)));
  } else if (origin == Origin::kInput || origin == Origin::kCapture) {
    frame.slots[slot].tensor = {out.dtype, *out.shape, source.tensor.data, source.tensor.device};
  } else {
    TensorView view = source.tensor;
    view.dtype = out.dtype;
    view.shape = *out.shape;
    WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(view, *env.dynamic, MemoryTag::kDynamic));
    SetSlot(frame, slot, Value(std::move(copy)));
  }
  return Status::Ok();
}

// True when nothing is left to compute.
Result<bool> PlaceOutputs(const Program& program, const Step& step, const PlanRecord& record,
                          const RunEnv& env, Frame& frame) {
  bool all_views = true;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    const PlanRecord::Output& out = record.outputs[i];
    frame.slots[slot] = Slot();
    if (out.shape && out.view_of) {
      WB_RETURN_IF_ERROR(PlaceView(program, step, out, slot, env, frame));
      continue;
    }
    all_views = false;
    if (!out.shape) continue;
    const MemoryTag tag =
        program.slots()[slot].is_output ? MemoryTag::kOutput : MemoryTag::kDynamic;
    WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(out.dtype, *out.shape, *env.dynamic, tag),
                        "output {}", i);
    SetSlot(frame, slot, Value(std::move(tensor)));
  }
  return all_views;
}

}  // namespace

bool IsComplete(const Step& step, const PlanRecord& record) {
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] != kNoSlot && !record.outputs[i].shape) return false;
  }
  return true;
}

Result<const PlanRecord*> PlanInRun(const Program& program, const Step& step, Frame& frame,
                                    PlanRecord& own) {
  using Needs = DynamicPlan::Needs;
  DynamicPlan& plan = frame.dynamic[static_cast<size_t>(&step - program.steps().data())];
  if (Matches(plan, step, frame)) return &plan.record;
  const std::vector<PlanInput> inputs = GatherInputs(step, frame);
  while (plan.needs != Needs::kAllContents && AreTensors(inputs)) {
    WB_ASSIGN_OR_RETURN(const bool planned, PlanBlind(program, step, inputs, frame, plan));
    if (planned) return &plan.record;
    plan.needs = plan.needs == Needs::kShapes ? Needs::kSmallContents : Needs::kAllContents;
  }
  PlanContext ctx(graph::NodeRef(program.graph(), *step.node), inputs, WidthOf(frame));
  WB_RETURN_IF_ERROR(step.kernel->Plan(ctx));
  own = std::move(ctx.record());
  return &own;
}

void SetSlot(Frame& frame, SlotId slot, Value value) {
  if (slot == kNoSlot) return;
  frame.slots[slot].tensor = value.tensor() ? value.tensor()->view() : TensorView();
  frame.slots[slot].value = std::move(value);
}

Status RunDynamicStep(const Program& program, const Step& step, const PlanRecord& record,
                      const RunEnv& env, Frame& frame) {
  WB_ASSIGN_OR_RETURN(const bool done, PlaceOutputs(program, step, record, env, frame));
  if (done) return Status::Ok();

  std::vector<Buffer> buffers;
  std::vector<std::byte*> scratch;
  for (const kernel::ScratchBooking& booking : record.scratch) {
    WB_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(*env.dynamic, booking.bytes, booking.align,
                                                        MemoryTag::kDynamic));
    scratch.push_back(buffer.view().data);
    buffers.push_back(std::move(buffer));
  }
  kernel::RunParts parts = PartsOf(step, env, frame);
  parts.scratch = scratch;
  parts.state = record.state.get();
  kernel::RunContext ctx(parts);
  WB_RETURN_IF_ERROR(step.kernel->Run(ctx));
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNoSlot) continue;
    const Slot& slot = frame.slots[step.outputs[i]];
    if (!slot.value.defined() && slot.tensor.dtype == DType::kUndefined) {
      return Error(Code::kInternal, "the kernel left output {} unset", i);
    }
  }
  return Status::Ok();
}

}  // namespace waybill::exec
