// The part of ProgramBuilder that may take the steps out of the order of the graph.
#include <array>
#include <numeric>
#include <optional>

#include "base/math/checked.h"
#include "exec/plan/order_trial.h"
#include "exec/program/builder.h"
#include "exec/program/stopwatch.h"

namespace waybill::exec {

namespace {

// What open dimensions are taken to be: the first of these that all kernels take. With ones, if
// they take those, an order must be no worse either.
constexpr std::array<int64_t, 3> kOpenDims = {64, 256, 1};

// Types and shapes of inputs and captures.
class SampleSlots {
 public:
  explicit SampleSlots(const Program& program) : program_(program) {
    const auto look_at = [&](SlotId slot) {
      const ValueType& type = program_.value_of(slot).type;
      if (!type.is_tensor()) return;
      if (!type.shape.has_rank())
        unranked_ = slot;
      else if (!type.shape.Concrete())
        open_ = true;
      tensors_.push_back(slot);
    };
    for (const SlotId slot : program_.inputs()) look_at(slot);
    for (const auto& [outer, inner] : program_.captures()) look_at(inner);
  }

  // Some tensor whose rank nobody knows.
  std::optional<SlotId> unranked() const { return unranked_; }
  bool open() const { return open_; }

  std::vector<Slot> Make(int64_t open_dim) const {
    std::vector<Slot> slots(program_.slots().size());
    program_.SetConstants(slots);
    for (const SlotId slot : tensors_) {
      const ValueType& type = program_.value_of(slot).type;
      slots[slot].tensor.dtype = type.dtype;
      for (const Dim& dim : type.shape.dims()) {
        slots[slot].tensor.shape.PushBack(dim.known() ? dim.value() : open_dim);
      }
    }
    return slots;
  }

 private:
  const Program& program_;
  std::vector<SlotId> tensors_;
  std::optional<SlotId> unranked_;
  bool open_ = false;
};

// Than the order that the steps have.
bool IsWorse(const plan::OrderProblem& problem, std::span<const uint32_t> order) {
  std::vector<uint32_t> present(order.size());
  std::iota(present.begin(), present.end(), 0u);
  return plan::PeakBytes(problem, order) > plan::PeakBytes(problem, present);
}

// No other sizes are tried then: which order a program gets would be a matter of luck.
bool IsShort(const Result<OrderTrial>& trial) {
  return !trial.ok() && trial.status().code() == Code::kOutOfMemory;
}

}  // namespace

Status ProgramBuilder::OrderSteps() {
  if (options_.survey != nullptr) return Status::Ok();
  std::string& not_tried = program_->step_order_.not_tried;
  if (!options_.order_steps) {
    not_tried = "it is not wanted";
  } else if (!options_.rules.reuse) {
    not_tried = "nothing is reused";
  } else {
    WB_RETURN_IF_ERROR(CheckCancel());
    const Stopwatch watch(report_.order_ns);
    const Status status = TryOrders();
    if (!status.ok()) not_tried = status.message();
    program_->Trim();  // what bodies have kept of these plans
  }
  return Status::Ok();
}

Status ProgramBuilder::TryOrders() {
  plan::OrderProblem needs = OrderNeeds(*program_);
  if (!plan::HasOtherOrders(needs)) {
    return Error(Code::kFail, "there is none");
  }
  const SampleSlots sample(*program_);
  if (const auto slot = sample.unranked()) {
    return Error(Code::kFail, "nobody knows the rank of {}", program_->value_of(*slot).name);
  }
  PlanOptions options;
  options.source = options_.source;
  options.width = 1;  // sessions of any width share the program
  const auto try_with = [&](int64_t open_dim) {
    return OrderTrial::Make(*program_, sample.Make(open_dim), options);
  };
  int64_t open_dim = kOpenDims.front();
  Result<OrderTrial> given = try_with(open_dim);
  for (size_t i = 1; i < kOpenDims.size() && !given.ok() && sample.open(); ++i) {
    if (IsShort(given)) break;
    given = try_with(open_dim = kOpenDims[i]);
  }
  if (!given.ok()) return std::move(given).status();
  StepOrder& result = program_->step_order_;
  result.open_dims = sample.open() ? open_dim : 0;
  result.graph_bound_bytes = result.bound_bytes = given->bound_bytes();
  WB_ASSIGN_OR_RETURN(const plan::FoundOrder found, plan::FindOrder(given->Describe(needs)));
  if (!found.changed()) return Status::Ok();

  if (sample.open() && open_dim != 1) {
    const Result<OrderTrial> ones = try_with(1);
    if (IsShort(ones)) return ones.status();
    if (ones.ok() && IsWorse(ones->Describe(std::move(needs)), found.order)) return Status::Ok();
  }
  // The layout has the last word: who shares what may turn out otherwise than foreseen.
  const std::vector<Step> steps = program_->steps_;
  const std::vector<SlotInfo> slots = program_->slots_;
  Reorder(found.order);
  Status followed = given->Follow(found.order);
  const size_t before = result.graph_bound_bytes;
  const size_t least_gain = CeilDiv(before, size_t{100}) * plan::kLeastGainPercent;
  if (!followed.ok() || given->bound_bytes() > before - least_gain) {
    program_->steps_ = steps;
    program_->slots_ = slots;
    return followed;
  }
  result.bound_bytes = given->bound_bytes();
  for (uint32_t i = 0; i < found.order.size(); ++i) result.moved_steps += found.order[i] != i;
  return Status::Ok();
}

void ProgramBuilder::Reorder(std::span<const uint32_t> order) {
  std::vector<Step> steps;
  for (const uint32_t from : order) steps.push_back(std::move(program_->steps_[from]));
  program_->steps_ = std::move(steps);
  for (SlotInfo& slot : program_->slots_) slot.last_read = 0;
  for (uint32_t index = 0; index < order.size(); ++index) {
    const Step& step = program_->steps_[index];
    for (const auto* slots : {&step.inputs, &step.captured}) {
      for (const SlotId slot : *slots) {
        if (slot != kNoSlot) NoteRead(slot, index);
      }
    }
    for (const SlotId slot : step.outputs) {
      if (slot == kNoSlot) continue;
      program_->slots_[slot].producer = index;
      program_->slots_[slot].last_read = index;
    }
  }
}

}  // namespace waybill::exec
