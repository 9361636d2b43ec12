// FrameLease: a frame for one run, cleaned and given back at its end.
#pragma once

#include <memory>

#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

// Lets go of all that a run has taken but its inputs: slabs, outputs and dynamic values.
void ReleaseRun(const Program& program, Frame& frame) noexcept;

class FrameLease {
 public:
  explicit FrameLease(const Program& program);
  FrameLease(const FrameLease&) = delete;
  FrameLease& operator=(const FrameLease&) = delete;
  ~FrameLease();

  Frame& operator*() const { return *frame_; }
  Frame* operator->() const { return frame_.get(); }

 private:
  const Program& program_;
  std::unique_ptr<Frame> frame_;
};

// Finds or makes the plan for the inputs and captures in the frame, which then is NextPlan. Where
// it is the plan that the frame has, nothing is written that other threads read.
Status FindPlan(const Program& program, const RunEnv& env, Frame& frame);

// What FindPlan found last: to be adopted, or the frame's already.
const std::shared_ptr<const Plan>& NextPlan(const Frame& frame);

// Lets the frame hold the views of NextPlan and takes the slab.
Status TakeSlab(const Program& program, const RunEnv& env, Frame& frame);

// Points the slots and scratch of a plan at their bytes from `base` on, in `output_places` or
// elsewhere. `bound` is the base of the last time, then of this.
void BindPlan(const Plan& plan, std::byte* base, std::byte*& bound,
              std::vector<std::byte*>& scratch, Frame& frame);

// The same for the frame's plan: points every planned slot at its bytes in the slab at `base`, in
// `output_places` or elsewhere.
void BindSlots(std::byte* base, Frame& frame);

// Takes the slab of NextPlan and binds the slots. Output tensors are in the frame.
Status BindFrame(const Program& program, const RunEnv& env, Frame& frame);

}  // namespace waybill::exec
