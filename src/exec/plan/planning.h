// Planner: how one plan comes about, a program's first one or a tail. For planner.h alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/plan/layout.h"
#include "exec/plan/planner.h"

namespace waybill::exec {

using kernel::PlanContext;
using kernel::PlanInput;
using kernel::PlanRecord;

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

  // Of a tail.
  Planner(const Program& program, std::span<const Slot> slots, std::span<const Plan* const> earlier,
          const Cut& cut, const PlanOptions& options)
      : Planner(program, slots, options) {
    cut_ = &cut;
    earlier_ = earlier;
    for (const Plan* plan : earlier) FollowPlan(*plan);
    for (SlotId id = 0; id < slots.size(); ++id) FollowOwned(id, slots[id]);
  }

  Result<std::shared_ptr<Plan>> Make();
  // Decides who shares what, but places nothing.
  Status LayOut();
  Layout& layout() { return layout_; }
  const Layout& layout() const { return layout_; }
  StepMode mode(uint32_t step) const { return plan_->step(step).mode; }
  // How much more than it has the lease of the first plan needs for the tail too.
  Result<size_t> BytesMissing() const;
  // The first step whose run sizes its outputs, with the most that these may be.
  const std::optional<Cut>& first_open() const { return first_open_; }

 private:
  struct Fact {
    bool shaped = false;   // type and shape are in slots_
    bool known = false;    // contents are in slots_, as `tensor` and as `value`
    bool lasting = false;  // bytes that stay as long as views of them that this plan lays out
    bool earlier = false;  // from an earlier plan of the run, or from the run itself
  };

  void StartSlot(SlotId id, const Slot& given);
  void FollowPlan(const Plan& plan);
  void FollowOwned(SlotId id, const Slot& slot);
  Status BookCut();
  StepPlan& Out(size_t step) { return plan_->steps[step - plan_->first_step]; }
  bool IsFollowed(uint32_t index);
  void NoteOpen(const Step& step, uint32_t index, const PlanRecord& record, StepPlan& out);
  Status PlanStep(uint32_t index);
  Status PlanKernelStep(const Step& step, uint32_t index, StepPlan& out);
  Status PlanControlStep(const Step& step, uint32_t index, StepPlan& out);
  // `bodies` has the first as its slab, where it is given.
  void BookScratch(uint32_t index, std::span<const kernel::ScratchBooking> scratch, StepPlan& out,
                   const ControlPlan* bodies = nullptr);
  bool GatherInputs(const Step& step, std::vector<PlanInput>& inputs) const;
  // Computes the step now when that is possible and small; true when it was done.
  Result<bool> TryFold(const Step& step, std::span<const PlanInput> inputs,
                       const PlanRecord& record);
  Result<std::vector<Value>> FoldInputs(const Step& step) const;
  Status BookOutputs(const Step& step, uint32_t index, const PlanRecord& record, StepPlan& out);
  Status BookView(const Step& step, size_t output, const PlanRecord::Output& booked, size_t bytes);
  Status BookMove(const Step& step, const PlanRecord& record, StepPlan& out);
  bool MustMove(const Step& step, const PlanRecord& record, size_t output) const;
  Status BookPieces(const Step& step, uint32_t index, const PlanRecord& record);
  bool MayBePitched(const Step& step, uint32_t index, const PlanRecord::Piece& piece) const;
  // Tells the producers of pieces with a pitch.
  void SetPitches();
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
  std::vector<size_t> row_bytes_;  // by step: of output 0, where the kernel can write rows apart
  std::optional<Cut> first_open_;
  // Of a tail:
  const Cut* cut_ = nullptr;
  std::span<const Plan* const> earlier_;
  std::vector<bool> elsewhere_;  // steps that earlier plans laid out
};

// What is leased beside the plan for its first tail, whose outputs are `most`.
size_t ReserveBytes(const Program& program, std::span<const Slot> slots, const Plan& plan,
                    const Cut& most, const PlanOptions& options);

}  // namespace waybill::exec
