#include "exec/plan/planner.h"

#include <algorithm>

#include "exec/plan/control_plan.h"
#include "exec/plan/demand.h"
#include "exec/plan/planning.h"
#include "exec/program/pure.h"
#include "kernel/api/invoke.h"

namespace waybill::exec {

namespace {

bool IsTensorSlot(const Slot& slot) {
  if (slot.value.defined() && slot.value.tensor() == nullptr) return false;
  return slot.tensor.dtype != DType::kUndefined;
}

}  // namespace

void Planner::StartSlot(SlotId id, const Slot& given) {
  const Origin origin = program_.slots()[id].origin;
  if (origin == Origin::kStep || !IsTensorSlot(given)) return;
  slots_[id].tensor = given.tensor;
  facts_[id].shaped = facts_[id].lasting = true;
  const bool is_known =
      origin == Origin::kConstant || (origin == Origin::kCapture && options_.known_captures);
  if (is_known && (given.tensor.data != nullptr || given.tensor.bytes() == 0)) {
    slots_[id].value = given.value;
    facts_[id].known = given.value.defined();
  } else {
    slots_[id].tensor.data = nullptr;
  }
}

Status Planner::LayOut() {
  const auto steps = program_.steps();
  plan_->first_step = cut_ != nullptr ? cut_->step : 0;
  plan_->steps.resize(steps.size() - plan_->first_step);
  row_bytes_.assign(steps.size(), 0);
  if (cut_ != nullptr) WB_RETURN_IF_ERROR(BookCut(), "planning memory");
  for (const Donation& donated : options_.donated) {
    const SlotId slot = program_.inputs()[donated.input];
    const bool asked = donated.output != Donation::kNoOutput;
    layout_.AddDonated(slot, slots_[slot].tensor.bytes(),
                       asked ? program_.outputs()[donated.output] : kNoSlot);
  }
  for (uint32_t i = plan_->first_step; i < steps.size(); ++i) {
    if (cut_ != nullptr && (i == cut_->step || elsewhere_[i])) {
      Out(i).mode = StepMode::kElsewhere;
      continue;
    }
    Status status = PlanStep(i);
    if (!status.ok()) return std::move(status).With(DescribeStep(steps[i], slots_.data()));
  }
  for (uint32_t i = plan_->first_step; i < steps.size(); ++i) {
    if (Out(i).mode == StepMode::kDynamic) Out(i).has_followers = IsFollowed(i);
  }
  return layout_.Arrange().With("planning memory");
}

Result<std::shared_ptr<Plan>> Planner::Make() {
  WB_RETURN_IF_ERROR(LayOut());
  SkipViews();
  SetPitches();
  DecideOutputs();
  std::vector<Region> regions;
  if (cut_ != nullptr) regions = RegionsAt(earlier_, cut_->step);
  WB_RETURN_IF_ERROR(layout_.Place(*plan_, regions), "planning memory");
  CountBodies(plan_->steps, plan_->figures);
  Bind();
  plan_->bindings.shrink_to_fit();
  if (plan_->has_dynamic) plan_->key.assign(options_.key.begin(), options_.key.end());
  return std::move(plan_);
}

// Whether a kernel that a tail may lay out waits for the outputs of the step.
bool Planner::IsFollowed(uint32_t index) {
  const auto steps = program_.steps();
  const auto& outputs = steps[index].outputs;
  const auto reads = [&](SlotId slot) {
    return slot != kNoSlot && std::find(outputs.begin(), outputs.end(), slot) != outputs.end();
  };
  for (size_t i = index + 1; i < steps.size(); ++i) {
    if (Out(i).mode != StepMode::kDynamic || steps[i].always_dynamic) continue;
    if (std::any_of(steps[i].inputs.begin(), steps[i].inputs.end(), reads)) return true;
  }
  return false;
}

Status Planner::PlanStep(uint32_t index) {
  const Step& step = program_.steps()[index];
  StepPlan& out = Out(index);
  out.mode = StepMode::kDynamic;
  if (step.kind != StepKind::kKernel) {
    // Frames of bodies belong to the first plan.
    if (cut_ == nullptr) WB_RETURN_IF_ERROR(PlanControlStep(step, index, out));
  } else if (!step.always_dynamic) {
    WB_RETURN_IF_ERROR(PlanKernelStep(step, index, out));
  }
  if (out.mode == StepMode::kDynamic || out.mode == StepMode::kOpen) {
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
    if (step.outputs[i] == kNoSlot || record.outputs[i].shape) continue;
    NoteOpen(step, index, record, out);
    return Status::Ok();
  }
  return BookOutputs(step, index, record, out);
}

// Where the run sizes all outputs and says how large they get at most, all else is planned.
void Planner::NoteOpen(const Step& step, uint32_t index, const PlanRecord& record, StepPlan& out) {
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const PlanRecord::Output& output = record.outputs[i];
    if (step.outputs[i] != kNoSlot && (output.shape || !output.most)) return;
  }
  out.mode = StepMode::kOpen;
  out.state = record.state;
  BookScratch(index, record.scratch, out);
  if (first_open_) return;
  first_open_ = Cut{index, record.outputs, {}};
  for (PlanRecord::Output& output : first_open_->outputs) output.shape = std::move(output.most);
}

Status Planner::PlanControlStep(const Step& step, uint32_t index, StepPlan& out) {
  WB_ASSIGN_OR_RETURN(auto record, PlanControl(program_, step, slots_, options_));
  if (!record) return Status::Ok();
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    slots_[slot].tensor = record->outputs[i];
    facts_[slot].shaped = facts_[slot].lasting = true;
    ++plan_->figures.planned_values;
    layout_.AddOwn(slot, record->outputs[i].bytes(), index, {}, kNoSlot, 0);
  }
  BookScratch(index, record->scratch, out, record->plan.get());
  out.mode = StepMode::kControl;
  record->plan->first_child = plan_->num_children;
  plan_->num_children += static_cast<uint32_t>(record->plan->bodies.size());
  out.control = std::move(record->plan);
  return Status::Ok();
}

void Planner::BookScratch(uint32_t index, std::span<const kernel::ScratchBooking> scratch,
                          StepPlan& out, const ControlPlan* bodies) {
  out.first_scratch = static_cast<uint32_t>(layout_.num_scratch());
  out.num_scratch = static_cast<uint32_t>(scratch.size());
  for (size_t i = 0; i < scratch.size(); ++i) {
    layout_.AddScratch(index, scratch[i], i == ControlPlan::kSlab ? bodies : nullptr);
  }
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
  if (options_.width == options.width) options.planned = &record;
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
    facts_[slot] = {true, true, true, false};
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

// A view of bytes that an earlier plan of the run, or the step that made them, lets end.
bool Planner::MustMove(const Step& step, const PlanRecord& record, size_t output) const {
  const auto& view_of = record.outputs[output].view_of;
  return view_of && !facts_[step.inputs[*view_of]].lasting;
}

Status Planner::BookOutputs(const Step& step, uint32_t index, const PlanRecord& record,
                            StepPlan& out) {
  bool all_views = true, moves = false;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNoSlot) continue;
    all_views = all_views && record.outputs[i].view_of;
    moves = moves || MustMove(step, record, i);
  }
  if (moves && !all_views) return Status::Ok();  // the run plans it
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    const PlanRecord::Output& booked = record.outputs[i];
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(booked.dtype, *booked.shape),
                        "output {}", i);
    slots_[slot].tensor = {booked.dtype, *booked.shape, nullptr, {}};
    facts_[slot].shaped = facts_[slot].lasting = true;
    if (booked.view_of && !MustMove(step, record, i)) {
      WB_RETURN_IF_ERROR(BookView(step, i, booked, bytes));
      continue;
    }
    ++plan_->figures.planned_values;
    SlotId whole = booked.part_of ? step.inputs[*booked.part_of] : kNoSlot;
    if (whole != kNoSlot) {
      const size_t there = slots_[whole].tensor.bytes();
      if (booked.part_offset > there || bytes > there - booked.part_offset) {
        return Error(Code::kInternal, "output {} of {} bytes is declared the part at {} of {}", i,
                     bytes, booked.part_offset, slots_[whole].tensor.Describe());
      }
      // The bytes of constants are no slot's.
      if (facts_[whole].known || !facts_[whole].lasting) whole = kNoSlot;
    }
    layout_.AddOwn(slot, bytes, index, booked.in_place_of, whole, booked.part_offset);
  }
  WB_RETURN_IF_ERROR(BookPieces(step, index, record));
  if (moves) return BookMove(step, record, out);
  out.mode = all_views ? StepMode::kSkip : StepMode::kPlanned;
  if (all_views) return Status::Ok();
  out.state = record.state;
  row_bytes_[index] = record.pitched_row_bytes;
  BookScratch(index, record.scratch, out);
  return Status::Ok();
}

Status Planner::BookPieces(const Step& step, uint32_t index, const PlanRecord& record) {
  for (const PlanRecord::Piece& piece : record.pieces) {
    const SlotId slot = step.inputs[piece.input], whole = step.outputs[piece.output];
    if (slot == kNoSlot || whole == kNoSlot) continue;
    if (piece.pitch_bytes != 0) {
      const size_t bytes = slots_[slot].tensor.bytes(), there = slots_[whole].tensor.bytes();
      const size_t row = piece.offset % piece.pitch_bytes, rows = there / piece.pitch_bytes;
      if (piece.offset >= piece.pitch_bytes || piece.row_bytes > piece.pitch_bytes - row ||
          rows * piece.row_bytes != bytes || rows * piece.pitch_bytes != there) {
        return Error(Code::kInternal, "rows of {} bytes at {}, {} apart, of {} are not in {}",
                     piece.row_bytes, piece.offset, piece.pitch_bytes,
                     slots_[slot].tensor.Describe(), slots_[whole].tensor.Describe());
      }
      if (!MayBePitched(step, index, piece)) continue;
    }
    layout_.AddPiece(slot, whole, piece.offset, piece.pitch_bytes);
  }
  return Status::Ok();
}

// Everybody else takes tensors to be dense: only who makes the piece, in this plan, and who says
// that it is one may know it.
bool Planner::MayBePitched(const Step& step, uint32_t index, const PlanRecord::Piece& piece) const {
  const SlotId slot = step.inputs[piece.input];
  const SlotInfo& info = program_.slots()[slot];
  if (info.origin != Origin::kStep || info.is_output || info.last_read != index) return false;
  if (info.producer < plan_->first_step || row_bytes_[info.producer] != piece.row_bytes) {
    return false;
  }
  const auto steps = program_.steps();
  if (steps[info.producer].outputs.empty() || steps[info.producer].outputs[0] != slot) return false;
  const auto reads = [&](const std::vector<SlotId>& slots) {
    return std::count(slots.begin(), slots.end(), slot);
  };
  if (reads(step.inputs) != 1) return false;
  for (uint32_t i = info.producer + 1; i < index; ++i) {
    if (reads(steps[i].inputs) + reads(steps[i].captured) != 0) return false;
  }
  return true;
}

Status Planner::BookMove(const Step& step, const PlanRecord& record, StepPlan& out) {
  auto sources = std::make_shared<MoveSources>();
  sources->from.assign(step.outputs.size(), kNoSlot);
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNoSlot || !MustMove(step, record, i)) continue;
    sources->from[i] = step.inputs[*record.outputs[i].view_of];
  }
  out.mode = StepMode::kMove;
  out.state = std::move(sources);
  return Status::Ok();
}

void Planner::SkipViews() {
  const auto steps = program_.steps();
  for (size_t i = plan_->first_step; i < steps.size(); ++i) {
    if (Out(i).mode != StepMode::kPlanned) continue;
    const auto is_part = [&](SlotId slot) { return slot == kNoSlot || layout_.is_part(slot); };
    const auto& outputs = steps[i].outputs;
    if (std::all_of(outputs.begin(), outputs.end(), is_part)) {
      Out(i).mode = StepMode::kSkip;
      Out(i).state = nullptr;
    }
  }
}

void Planner::SetPitches() {
  const auto steps = program_.steps();
  for (size_t i = plan_->first_step; i < steps.size(); ++i) {
    if (row_bytes_[i] == 0 || steps[i].outputs[0] == kNoSlot) continue;
    Out(i).pitch_bytes = layout_.pitch_bytes(steps[i].outputs[0]);
  }
}

void Planner::DecideOutputs() {
  const auto outputs = program_.outputs();
  const auto is_here = [&](SlotId slot) {
    return facts_[slot].shaped && !facts_[slot].earlier &&
           (cut_ == nullptr || program_.slots()[slot].origin == Origin::kStep);
  };
  if (cut_ != nullptr && std::none_of(outputs.begin(), outputs.end(), is_here)) return;
  plan_->outputs.resize(outputs.size());
  for (uint32_t k = 0; k < outputs.size(); ++k) {
    const SlotId slot = outputs[k];
    OutputPlan& out = plan_->outputs[k];
    if (!is_here(slot)) continue;
    out.dtype = slots_[slot].tensor.dtype;
    out.shape = slots_[slot].tensor.shape;
    out.mode = layout_.output_of(slot) == k ? OutputMode::kDirect : OutputMode::kCopy;
    out.donor = layout_.donor_of(slot);
  }
}

void Planner::Bind() {
  for (const Step& step : program_.steps()) {
    for (const SlotId slot : step.outputs) {
      if (slot == kNoSlot || !facts_[slot].shaped || facts_[slot].earlier) continue;
      Binding binding;
      binding.slot = slot;
      binding.view = slots_[slot].tensor;
      binding.share = layout_.share(slot);
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
        binding.target = layout_.buffer(slot);
        binding.offset = layout_.offset(slot);
      }
      plan_->bindings.push_back(std::move(binding));
    }
  }
}

Result<std::shared_ptr<const Plan>> MakePlan(const Program& program, std::span<const Slot> slots,
                                             const PlanOptions& options) {
  Planner planner(program, slots, options);
  WB_ASSIGN_OR_RETURN(const auto plan, planner.Make());
  if (plan->has_dynamic && !options.donated.empty()) {
    PlanOptions without = options;
    without.donated = {};
    return MakePlan(program, slots, without);
  }
  if (planner.first_open() && program.rules().reuse) {
    plan->figures.reserve_bytes =
        ReserveBytes(program, slots, *plan, *planner.first_open(), options);
  }
  return std::shared_ptr<const Plan>(plan);
}

void AppendPlanKey(const Program& program, std::span<const Slot> slots, size_t width,
                   std::span<const Donation> donated, std::vector<int64_t>& key) {
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
  for (const Donation& donation : donated) {
    key.push_back(-2 - static_cast<int64_t>(donation.input));  // no element type
    key.push_back(donation.output);
  }
  for (const SlotId id : program.inputs()) append(id);
  for (const auto& [outer, inner] : program.captures()) append(inner);
}

std::vector<std::optional<TensorView>> InputsOfKey(const Program& program,
                                                   std::span<const int64_t> key) {
  std::vector<std::optional<TensorView>> inputs;
  size_t at = 1;                                     // after the width
  while (at < key.size() && key[at] <= -2) at += 2;  // what is donated
  while (at < key.size() && inputs.size() < program.inputs().size()) {
    inputs.emplace_back();
    if (key[at] == -1) {
      ++at;
      continue;
    }
    TensorView& input = inputs.back().emplace();
    input.dtype = static_cast<DType>(key[at]);
    const auto rank = static_cast<size_t>(key[at + 1]);
    for (const int64_t dim : key.subspan(at + 2, rank)) input.shape.PushBack(dim);
    at += 2 + rank;
  }
  return inputs;
}

}  // namespace waybill::exec
