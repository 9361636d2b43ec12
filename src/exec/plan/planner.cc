#include "exec/plan/planner.h"

#include <algorithm>

#include "exec/plan/control_plan.h"
#include "exec/plan/layout.h"
#include "exec/program/pure.h"
#include "kernel/api/invoke.h"

namespace waybill::exec {

namespace {

using kernel::PlanContext;
using kernel::PlanInput;
using kernel::PlanRecord;

bool IsTensorSlot(const Slot& slot) {
  if (slot.value.defined() && slot.value.tensor() == nullptr) return false;
  return slot.tensor.dtype != DType::kUndefined;
}

class Planner {
 public:
  Planner(const Program& program, std::span<const Slot> slots, const PlanOptions& options)
      : program_(program),
        options_(options),
        layout_(program),
        slots_(slots.size()),
        facts_(slots.size()),
        plan_(std::make_shared<Plan>()) {
    for (SlotId id = 0; id < slots.size(); ++id) StartSlot(id, slots[id]);
  }

  Result<std::shared_ptr<const Plan>> Make();

 private:
  struct Fact {
    bool shaped = false;  // type and shape are in slots_
    bool known = false;   // contents are in slots_, as `tensor` and as `value`
    bool folded = false;  // computed at planning
  };

  void StartSlot(SlotId id, const Slot& given);
  Status PlanStep(uint32_t index);
  Status PlanKernelStep(const Step& step, uint32_t index, StepPlan& out);
  Status PlanControlStep(const Step& step, uint32_t index, StepPlan& out);
  void BookScratch(uint32_t index, std::span<const kernel::ScratchBooking> scratch, StepPlan& out);
  bool GatherInputs(const Step& step, std::vector<PlanInput>& inputs) const;
  // Computes the step now when that is possible and small; true when it was done.
  Result<bool> TryFold(const Step& step, std::span<const PlanInput> inputs,
                       const PlanRecord& record);
  Result<std::vector<Value>> FoldInputs(const Step& step) const;
  Status BookOutputs(const Step& step, uint32_t index, const PlanRecord& record, StepPlan& out);
  Status BookView(const Step& step, size_t output, const PlanRecord::Output& booked, size_t bytes);
  // Steps whose outputs all lie in other bytes already have nothing to do.
  void SkipViews();
  void DecideOutputs();
  void Bind();

  const Program& program_;
  const PlanOptions& options_;
  Layout layout_;
  std::vector<Slot> slots_;
  std::vector<Fact> facts_;
  std::shared_ptr<Plan> plan_;
};

void Planner::StartSlot(SlotId id, const Slot& given) {
  const Origin origin = program_.slots()[id].origin;
  if (origin == Origin::kStep || !IsTensorSlot(given)) return;
  slots_[id].tensor = given.tensor;
  facts_[id].shaped = true;
  if (origin == Origin::kConstant && (given.tensor.data != nullptr || given.tensor.bytes() == 0)) {
    slots_[id].value = given.value;
    facts_[id].known = given.value.defined();
  } else {
    slots_[id].tensor.data = nullptr;
  }
}

Result<std::shared_ptr<const Plan>> Planner::Make() {
  const auto steps = program_.steps();
  plan_->steps.resize(steps.size());
  for (uint32_t i = 0; i < steps.size(); ++i) {
    Status status = PlanStep(i);
    if (!status.ok()) return std::move(status).With(DescribeStep(steps[i], slots_.data()));
  }
  WB_RETURN_IF_ERROR(layout_.Arrange(), "planning memory");
  SkipViews();
  DecideOutputs();
  WB_RETURN_IF_ERROR(layout_.Place(*plan_), "planning memory");
  Bind();
  plan_->bindings.shrink_to_fit();
  return std::shared_ptr<const Plan>(std::move(plan_));
}

Status Planner::PlanStep(uint32_t index) {
  const Step& step = program_.steps()[index];
  StepPlan& out = plan_->steps[index];
  out.mode = StepMode::kDynamic;
  if (step.kind != StepKind::kKernel) {
    WB_RETURN_IF_ERROR(PlanControlStep(step, index, out));
  } else if (!step.always_dynamic) {
    WB_RETURN_IF_ERROR(PlanKernelStep(step, index, out));
  }
  if (out.mode == StepMode::kDynamic) {
    plan_->has_dynamic = true;
    for (const SlotId slot : step.outputs) {
      if (slot != kNoSlot) layout_.AddForeign(slot), ++plan_->figures.dynamic_values;
    }
  }
  return Status::Ok();
}

bool Planner::GatherInputs(const Step& step, std::vector<PlanInput>& inputs) const {
  inputs.resize(step.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SlotId slot = step.inputs[i];
    if (slot == kNoSlot) continue;
    if (!facts_[slot].shaped) return false;
    inputs[i].tensor = &slots_[slot].tensor;
    inputs[i].known = facts_[slot].known;
  }
  return true;
}

Status Planner::PlanKernelStep(const Step& step, uint32_t index, StepPlan& out) {
  std::vector<PlanInput> inputs;
  if (!GatherInputs(step, inputs)) return Status::Ok();
  PlanContext ctx(graph::NodeRef(program_.graph(), *step.node), inputs, options_.width);
  WB_RETURN_IF_ERROR(step.kernel->Plan(ctx));
  const PlanRecord& record = ctx.record();
  WB_ASSIGN_OR_RETURN(const bool folded, TryFold(step, inputs, record));
  if (folded) {
    out.mode = StepMode::kSkip;
    return Status::Ok();
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] != kNoSlot && !record.outputs[i].shape) return Status::Ok();
  }
  return BookOutputs(step, index, record, out);
}

Status Planner::PlanControlStep(const Step& step, uint32_t index, StepPlan& out) {
  WB_ASSIGN_OR_RETURN(auto record, PlanControl(program_, step, slots_, options_));
  if (!record) return Status::Ok();
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    slots_[slot].tensor = record->outputs[i];
    facts_[slot].shaped = true;
    ++plan_->figures.planned_values;
    layout_.AddOwn(slot, record->outputs[i].bytes(), index, {}, kNoSlot, 0);
  }
  BookScratch(index, record->scratch, out);
  out.mode = StepMode::kControl;
  record->plan->first_child = plan_->num_children;
  plan_->num_children += static_cast<uint32_t>(record->plan->bodies.size());
  out.control = std::move(record->plan);
  return Status::Ok();
}

void Planner::BookScratch(uint32_t index, std::span<const kernel::ScratchBooking> scratch,
                          StepPlan& out) {
  out.first_scratch = static_cast<uint32_t>(layout_.num_scratch());
  out.num_scratch = static_cast<uint32_t>(scratch.size());
  for (const kernel::ScratchBooking& booking : scratch) layout_.AddScratch(index, booking);
}

Result<std::vector<Value>> Planner::FoldInputs(const Step& step) const {
  std::vector<Value> values(step.inputs.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const SlotId slot = step.inputs[i];
    if (slot == kNoSlot) continue;
    values[i] = slots_[slot].value;
    if (values[i].defined()) continue;
    const TensorView& view = slots_[slot].tensor;
    WB_ASSIGN_OR_RETURN(Tensor shape_only,
                        Tensor::Wrap(view.dtype, view.shape,
                                     SharedView::Unowned({nullptr, view.bytes(), view.device})));
    values[i] = Value(std::move(shape_only));
  }
  return values;
}

Result<bool> Planner::TryFold(const Step& step, std::span<const PlanInput> inputs,
                              const PlanRecord& record) {
  if (!step.pure) return false;
  int64_t input_elems = 0;
  for (const PlanInput& input : inputs) {
    if (input.tensor == nullptr) continue;
    if (!input.known && !ReadsShapeOnly(*step.node)) return false;
    input_elems += input.known ? input.tensor->elems() : 0;
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNoSlot) continue;
    const auto& shape = record.outputs[i].shape;
    const int64_t elems = shape ? shape->CheckedElems().value_or(kMaxFoldedElems + 1) : input_elems;
    if (elems > kMaxFoldedElems) return false;
  }
  WB_ASSIGN_OR_RETURN(const std::vector<Value> values, FoldInputs(step));
  kernel::InvokeOptions options;
  options.source = options_.source;
  options.tag = MemoryTag::kFolded;
  WB_ASSIGN_OR_RETURN(
      std::vector<Value> results,
      kernel::Invoke(*step.kernel, graph::NodeRef(program_.graph(), *step.node), values, options));
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNoSlot) continue;
    const Tensor* tensor = results[i].tensor();
    if (tensor == nullptr || tensor->view().bytes() > kMaxFoldedBytes) return false;
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    slots_[slot].tensor = results[i].tensor()->view();
    slots_[slot].value = std::move(results[i]);
    facts_[slot] = {true, true, true};
    layout_.AddForeign(slot);
    ++plan_->figures.constant_values;
  }
  return true;
}

Status Planner::BookView(const Step& step, size_t output, const PlanRecord::Output& booked,
                         size_t bytes) {
  const SlotId slot = step.outputs[output], source = step.inputs[*booked.view_of];
  if (slots_[source].tensor.bytes() != bytes) {
    return Error(Code::kInternal, "output {} of {} bytes is declared a view of {}", output, bytes,
                 slots_[source].tensor.Describe());
  }
  layout_.AddView(slot, source, bytes);
  if (!facts_[source].known) return Status::Ok();
  WB_ASSIGN_OR_RETURN(Tensor view, Tensor::Wrap(booked.dtype, *booked.shape,
                                                slots_[source].value.tensor()->storage()));
  slots_[slot].tensor = view.view();
  slots_[slot].value = Value(std::move(view));
  facts_[slot].known = true;
  return Status::Ok();
}

Status Planner::BookOutputs(const Step& step, uint32_t index, const PlanRecord& record,
                            StepPlan& out) {
  bool all_views = true;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    const PlanRecord::Output& booked = record.outputs[i];
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(booked.dtype, *booked.shape),
                        "output {}", i);
    slots_[slot].tensor = {booked.dtype, *booked.shape, nullptr, {}};
    facts_[slot].shaped = true;
    if (booked.view_of) {
      WB_RETURN_IF_ERROR(BookView(step, i, booked, bytes));
      continue;
    }
    all_views = false;
    ++plan_->figures.planned_values;
    SlotId whole = booked.part_of ? step.inputs[*booked.part_of] : kNoSlot;
    if (whole != kNoSlot) {
      const size_t there = slots_[whole].tensor.bytes();
      if (booked.part_offset > there || bytes > there - booked.part_offset) {
        return Error(Code::kInternal, "output {} of {} bytes is declared the part at {} of {}", i,
                     bytes, booked.part_offset, slots_[whole].tensor.Describe());
      }
      if (facts_[whole].known) whole = kNoSlot;  // the bytes of constants are no slot's
    }
    layout_.AddOwn(slot, bytes, index, booked.in_place_of, whole, booked.part_offset);
  }
  for (const PlanRecord::Piece& piece : record.pieces) {
    const SlotId slot = step.inputs[piece.input], whole = step.outputs[piece.output];
    if (slot != kNoSlot && whole != kNoSlot) layout_.AddPiece(slot, whole, piece.offset);
  }
  out.mode = all_views ? StepMode::kSkip : StepMode::kPlanned;
  if (all_views) return Status::Ok();
  out.state = record.state;
  BookScratch(index, record.scratch, out);
  return Status::Ok();
}

void Planner::SkipViews() {
  const auto steps = program_.steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (plan_->steps[i].mode != StepMode::kPlanned) continue;
    const auto is_part = [&](SlotId slot) { return slot == kNoSlot || layout_.is_part(slot); };
    const auto& outputs = steps[i].outputs;
    if (std::all_of(outputs.begin(), outputs.end(), is_part)) {
      plan_->steps[i].mode = StepMode::kSkip;
      plan_->steps[i].state = nullptr;
    }
  }
}

void Planner::DecideOutputs() {
  const auto outputs = program_.outputs();
  plan_->outputs.resize(outputs.size());
  for (uint32_t k = 0; k < outputs.size(); ++k) {
    const SlotId slot = outputs[k];
    OutputPlan& out = plan_->outputs[k];
    if (!facts_[slot].shaped) continue;
    out.dtype = slots_[slot].tensor.dtype;
    out.shape = slots_[slot].tensor.shape;
    out.mode = layout_.output_of(slot) == k ? OutputMode::kDirect : OutputMode::kCopy;
  }
}

void Planner::Bind() {
  for (const Step& step : program_.steps()) {
    for (const SlotId slot : step.outputs) {
      if (slot == kNoSlot || !facts_[slot].shaped) continue;
      Binding binding;
      binding.slot = slot;
      binding.view = slots_[slot].tensor;
      const SlotId root = layout_.root(slot);
      if (facts_[slot].known) {
        binding.home = Home::kConstant;
        binding.constant = slots_[slot].value;
      } else if (!layout_.is_planned(slot)) {
        binding.home = Home::kAlias;
        binding.target = root;
        binding.offset = layout_.shift(slot);
      } else if (const auto output = layout_.output_of(slot)) {
        binding.home = Home::kOutput;
        binding.target = *output;
        binding.offset = layout_.shift(slot);
      } else {
        binding.home = Home::kSlab;
        binding.offset = layout_.offset(slot);
      }
      plan_->bindings.push_back(std::move(binding));
    }
  }
}

}  // namespace

Result<std::shared_ptr<const Plan>> MakePlan(const Program& program, std::span<const Slot> slots,
                                             const PlanOptions& options) {
  return Planner(program, slots, options).Make();
}

void AppendPlanKey(const Program& program, std::span<const Slot> slots, size_t width,
                   std::vector<int64_t>& key) {
  const auto append = [&](SlotId id) {
    if (!IsTensorSlot(slots[id])) {
      key.push_back(-1);
      return;
    }
    const TensorView& tensor = slots[id].tensor;
    key.push_back(static_cast<int64_t>(tensor.dtype));
    key.push_back(static_cast<int64_t>(tensor.shape.rank()));
    key.insert(key.end(), tensor.shape.dims().begin(), tensor.shape.dims().end());
  };
  key.push_back(static_cast<int64_t>(width));
  for (const SlotId id : program.inputs()) append(id);
  for (const auto& [outer, inner] : program.captures()) append(inner);
}

}  // namespace waybill::exec
