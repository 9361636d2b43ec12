#include "exec/plan/order_trial.h"

#include <algorithm>
#include <optional>

#include "base/math/checked.h"
#include "exec/plan/planning.h"

namespace waybill::exec {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

template <typename Fn>
void ForEachSlot(const Step& step, Fn&& fn) {
  for (const auto* slots : {&step.inputs, &step.captured, &step.outputs}) {
    for (const SlotId slot : *slots) {
      if (slot != kNoSlot) fn(slot);
    }
  }
}

void AddOnce(std::vector<uint32_t>& list, uint32_t id) {
  if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
}

}  // namespace

plan::OrderProblem OrderNeeds(const Program& program) {
  plan::OrderProblem problem;
  problem.steps.resize(program.steps().size());
  std::optional<uint32_t> draw;
  for (uint32_t i = 0; i < program.steps().size(); ++i) {
    const Step& step = program.steps()[i];
    plan::OrderStep& out = problem.steps[i];
    out.fixed = step.kind != StepKind::kKernel || step.always_dynamic;
    ForEachSlot(step, [&](SlotId slot) {
      const SlotInfo& info = program.slots()[slot];
      if (info.origin == Origin::kStep && info.producer != i) AddOnce(out.after, info.producer);
    });
    if (step.pure) continue;
    if (draw) AddOnce(out.after, *draw);
    draw = i;
  }
  return problem;
}

// Which storage each slot is in, whatever is made in place.
std::vector<uint32_t> Layout::AddStorages(plan::OrderProblem& problem) const {
  std::vector<uint32_t> storage_of(entries_.size(), kNone);
  for (const Request& request : requests_) {
    const bool own = request.kind == Request::Kind::kOwn;
    if (request.kind == Request::Kind::kView || (own && is_part(request.slot))) {
      storage_of[request.slot] = storage_of[request.other];
    } else if (own && request.bytes != 0) {
      storage_of[request.slot] = static_cast<uint32_t>(problem.storages.size());
      problem.storages.push_back({AlignUp(request.bytes, kBlockAlign), false});
    } else if (request.kind == Request::Kind::kPiece && root(request.slot) == root(request.other)) {
      const uint32_t piece = storage_of[request.slot], whole = storage_of[request.other];
      if (piece != kNone && whole != kNone) {
        std::replace(storage_of.begin(), storage_of.end(), piece, whole);
      }
    }
  }
  for (SlotId slot = 0; slot < entries_.size(); ++slot) {
    if (storage_of[slot] == kNone) continue;
    plan::OrderStorage& storage = problem.storages[storage_of[slot]];
    if (output_of(slot)) storage.bytes = 0;  // it is in the caller's buffer
    storage.kept = storage.kept || (IsOutput(slot) && entries_[root(slot)].kept);
  }
  return storage_of;
}

void Layout::DescribeOrder(plan::OrderProblem& problem) const {
  const std::vector<uint32_t> storage_of = AddStorages(problem);
  const auto has_bytes = [&](uint32_t storage) {
    return storage != kNone && problem.storages[storage].bytes != 0;
  };
  for (uint32_t i = 0; i < program_.steps().size(); ++i) {
    ForEachSlot(program_.steps()[i], [&](SlotId slot) {
      if (has_bytes(storage_of[slot])) AddOnce(problem.steps[i].touches, storage_of[slot]);
    });
  }
  for (const Scratch& scratch : scratch_) {
    const size_t align = std::max(scratch.booking.align, size_t{kBlockAlign});
    problem.steps[scratch.step].scratch_bytes += AlignUp(scratch.booking.bytes, align);
  }
  for (const Request& request : requests_) {
    if (request.kind != Request::Kind::kOwn || is_part(request.slot)) continue;
    const uint32_t made = storage_of[request.slot];
    for (const size_t input : request.in_place_of) {
      const SlotId source = program_.steps()[request.step].inputs[input];
      if (source == kNoSlot) continue;
      const uint32_t taken = storage_of[source];
      if (!has_bytes(made) || !has_bytes(taken) || made == taken) continue;
      problem.steps[request.step].in_place.push_back({made, taken});
    }
  }
}

// What a step asks for is asked for where the step is now.
Status Layout::Follow(std::span<const uint32_t> order) {
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (Scratch& scratch : scratch_) scratch.step = place[scratch.step];
  for (Request& request : requests_) {
    const SlotId made = request.kind == Request::Kind::kPiece ? request.other : request.slot;
    request.step = program_.slots()[made].producer;
    request.shrinks = false;
    request.taken = true;
  }
  std::stable_sort(requests_.begin(), requests_.end(),
                   [](const Request& a, const Request& b) { return a.step < b.step; });
  return Arrange();
}

Result<size_t> Layout::Bound() const {
  return plan::LowerBound(Lives(PlacedRoots(), &PlanFigures::bound_bytes));
}

OrderTrial::OrderTrial(const Program& program, std::unique_ptr<Planner> planner)
    : program_(&program), planner_(std::move(planner)) {}
OrderTrial::OrderTrial(OrderTrial&&) noexcept = default;
OrderTrial& OrderTrial::operator=(OrderTrial&&) noexcept = default;
OrderTrial::~OrderTrial() = default;

Result<OrderTrial> OrderTrial::Make(const Program& program, std::span<const Slot> slots,
                                    const PlanOptions& options) {
  OrderTrial trial(program, std::make_unique<Planner>(program, slots, options));
  WB_RETURN_IF_ERROR(trial.planner_->LayOut());
  WB_ASSIGN_OR_RETURN(trial.bound_bytes_, trial.planner_->layout().Bound());
  return trial;
}

plan::OrderProblem OrderTrial::Describe(plan::OrderProblem needs) const {
  planner_->layout().DescribeOrder(needs);
  for (uint32_t i = 0; i < program_->steps().size(); ++i) {
    const StepMode mode = planner_->mode(i);
    const bool sized = mode == StepMode::kSkip || mode == StepMode::kPlanned;
    needs.steps[i].fixed = needs.steps[i].fixed || !sized;
  }
  return needs;
}

Status OrderTrial::Follow(std::span<const uint32_t> order) {
  WB_RETURN_IF_ERROR(planner_->layout().Follow(order), "planning memory");
  WB_ASSIGN_OR_RETURN(bound_bytes_, planner_->layout().Bound());
  return Status::Ok();
}

}  // namespace waybill::exec
