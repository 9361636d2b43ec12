#include <algorithm>

#include "base/math/checked.h"
#include "exec/plan/planning.h"

namespace waybill::exec {

// What a run has by now from its plan and tails so far.
void Planner::FollowPlan(const Plan& plan) {
  elsewhere_.resize(program_.steps().size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const StepMode mode = plan.steps[i].mode;
    if (mode != StepMode::kDynamic && mode != StepMode::kElsewhere) {
      elsewhere_[plan.first_step + i] = true;
    }
  }
  for (const Binding& binding : plan.bindings) {
    Fact& fact = facts_[binding.slot];
    slots_[binding.slot].tensor = binding.view;
    fact.shaped = fact.earlier = true;
    fact.known = binding.home == Home::kConstant;
    fact.lasting = fact.known || (binding.home == Home::kAlias &&
                                  program_.slots()[binding.target].origin != Origin::kStep);
    if (fact.known) slots_[binding.slot].value = binding.constant;
  }
}

// Tensors that steps made with bytes of their own.
void Planner::FollowOwned(SlotId id, const Slot& slot) {
  const SlotInfo& info = program_.slots()[id];
  const uint32_t end = cut_->step + (cut_->outputs.empty() ? 1 : 0);
  if (info.origin != Origin::kStep || facts_[id].shaped || info.producer >= end) return;
  if (slot.value.tensor() == nullptr || slot.tensor.dtype == DType::kString) return;
  slots_[id].tensor = {slot.tensor.dtype, slot.tensor.shape, nullptr, {}};
  facts_[id].shaped = facts_[id].earlier = true;
}

Result<size_t> Planner::BytesMissing() const {
  const Region region = RegionsAt(earlier_, cut_->step)[0];
  WB_ASSIGN_OR_RETURN(const size_t end, layout_.EndIn(region));
  return end > region.bytes ? end - region.bytes : 0;
}

Status Planner::BookCut() {
  const Step& step = program_.steps()[cut_->step];
  for (size_t i = 0; i < cut_->outputs.size(); ++i) {
    const SlotId slot = step.outputs[i];
    if (slot == kNoSlot) continue;
    const PlanRecord::Output& sized = cut_->outputs[i];
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(sized.dtype, *sized.shape),
                        "output {}", i);
    slots_[slot].tensor = {sized.dtype, *sized.shape, nullptr, {}};
    facts_[slot] = {true, false, true, false};
    if (sized.view_of && facts_[step.inputs[*sized.view_of]].lasting) {
      WB_RETURN_IF_ERROR(BookView(step, i, sized, bytes));
    } else {
      ++plan_->figures.planned_values;
      layout_.AddOwn(slot, bytes, cut_->step, {}, kNoSlot, 0);
    }
  }
  BookScratch(cut_->step, cut_->scratch, Out(cut_->step));
  return Status::Ok();
}

// Sizes that do not go together, or overflow, are no reason to fail: the run may find others.
size_t ReserveBytes(const Program& program, std::span<const Slot> slots, const Plan& plan,
                    const Cut& most, const PlanOptions& options) {
  std::vector<Slot> known(slots.begin(), slots.end());
  for (SlotId id = 0; id < known.size(); ++id) {
    if (program.slots()[id].origin == Origin::kStep) known[id] = Slot();
  }
  const Plan* const earlier[] = {&plan};
  Planner tail(program, known, earlier, most, options);
  if (!tail.LayOut().ok()) return 0;
  const auto missing = tail.BytesMissing();
  const size_t limit = std::max(plan.figures.slab_bytes / 10, kSmallReserveBytes);
  return missing.ok() && *missing <= limit ? AlignUp(*missing, kBlockAlign) : 0;
}

Result<std::shared_ptr<const Plan>> MakeTail(const Program& program, std::span<const Slot> slots,
                                             std::span<const Plan* const> earlier, const Cut& cut,
                                             const PlanOptions& options) {
  WB_ASSIGN_OR_RETURN(auto plan, Planner(program, slots, earlier, cut, options).Make());
  return std::shared_ptr<const Plan>(std::move(plan));
}

std::vector<Region> RegionsAt(std::span<const Plan* const> plans, uint32_t step) {
  std::vector<Region> regions;
  for (const Plan* plan : plans) {
    if (plan->region >= regions.size()) regions.resize(plan->region + 1);
    Region& region = regions[plan->region];
    if (plan->opens_region) region = {plan->lease_bytes(), plan->slab_align, {}, {}};
    for (const PlannedBuffer& buffer : plan->buffers) {
      if (buffer.life.last_step < step || buffer.life.bytes == 0) continue;
      region.lives.push_back(buffer.life);
      region.offsets.push_back(buffer.offset);
    }
  }
  return regions;
}

}  // namespace waybill::exec
