#include "exec/runner/control/planned.h"

#include <cstring>
#include <limits>

#include "exec/plan/control_plan.h"
#include "exec/runner/control/control.h"

namespace waybill::exec {

namespace {

using Scratch = std::span<std::byte* const>;

// What If, Loop and Scan have in common: where their outputs are, and a body's frame.
class PlannedControl {
 public:
  PlannedControl(const Program& program, const Step& step, const StepPlan& planned,
                 const RunEnv& env, Frame& frame)
      : step_(step),
        plan_(*planned.control),
        env_(env),
        frame_(frame),
        program_(program),
        scratch_(frame.scratch.data() + planned.first_scratch, planned.num_scratch) {}

 protected:
  Frame& Child(size_t body) { return *frame_.children[plan_.first_child + body].frame; }
  const Program& Body(size_t body) const { return program_.body(step_.bodies[body]); }
  const TensorView& Input(size_t i) const { return frame_.slots[step_.inputs[i]].tensor; }
  bool HasInput(size_t i) const { return i < step_.inputs.size() && step_.inputs[i] != kNoSlot; }
  std::byte* Output(size_t i) const {
    return step_.outputs[i] == kNoSlot ? scratch_[plan_.stand_in[i]]
                                       : frame_.slots[step_.outputs[i]].tensor.data;
  }
  Status RunBody(size_t body) {
    return RunBodyInPlan(Body(body), env_, frame_.slots.data(), scratch_[ControlPlan::kSlab],
                         Child(body));
  }
  // Of entry i, in all entries together.
  size_t OffsetOf(const ControlPlan::Entries& entries, int64_t i) const {
    return entries.bytes * static_cast<size_t>(entries.reversed ? plan_.length - 1 - i : i);
  }
  // Lets outputs of the body from `first` on be the i-th entries of the step's scan outputs.
  void PlaceEntries(size_t first, int64_t i) {
    for (size_t k = 0; k < plan_.stacked.size(); ++k) {
      const size_t output = plan_.num_carried + k;
      const bool wanted = step_.outputs[output] != kNoSlot;
      const size_t offset = wanted ? OffsetOf(plan_.stacked[k], i) : 0;
      Child(0).output_places[first + k] = Output(output) + offset;
    }
  }
  static void SetInput(const Program& body, size_t i, const TensorView& view, Frame& child) {
    child.slots[body.inputs()[i]].tensor = view;
  }
  static void MoveInput(const Program& body, size_t i, std::byte* data, Frame& child) {
    child.slots[body.inputs()[i]].tensor.data = data;
  }

  const Step& step_;
  const ControlPlan& plan_;
  const RunEnv& env_;
  Frame& frame_;
  const Program& program_;
  const Scratch scratch_;
};

class PlannedIf : PlannedControl {
 public:
  using PlannedControl::PlannedControl;
  Status Run() {
    WB_ASSIGN_OR_RETURN(const bool condition,
                        ReadBool(frame_.slots[step_.inputs[0]], "the condition"));
    const size_t branch = condition ? 0 : 1;
    const char* const where = condition ? "in the then branch" : "in the else branch";
    if (plan_.bodies[branch] == nullptr) return RunUnplanned(branch).With(where);
    Frame& child = Child(branch);
    for (size_t i = 0; i < step_.outputs.size(); ++i) child.output_places[i] = Output(i);
    return RunBody(branch).With(where);
  }

 private:
  // What the plan could not take in, no run can either: it says why.
  Status RunUnplanned(size_t branch) {
    std::vector<Value> results(step_.outputs.size());
    WB_RETURN_IF_ERROR(exec::RunBody(Body(branch), env_, {}, frame_.slots.data(), results));
    return Error(Code::kInternal, "it can be run, but could not be planned");
  }
};

// Values that an iteration reads where the one before wrote them: a pair of places for each, of
// which one is the step's output.
class PlannedCarried : protected PlannedControl {
 public:
  using PlannedControl::PlannedControl;

 protected:
  // Carried values are inputs first_input.. of step and body and outputs first_output.. of the
  // body.
  void StartCarried(size_t first_input, size_t first_output) {
    first_input_ = first_input;
    first_output_ = first_output;
    for (size_t k = 0; k < plan_.num_carried; ++k) {
      SetInput(Body(0), first_input + k, Input(first_input + k), Child(0));
    }
  }
  // Before an iteration: it writes to the outputs or else to the spare places.
  void WriteCarried(bool to_outputs) {
    for (size_t k = 0; k < plan_.num_carried; ++k) {
      Child(0).output_places[first_output_ + k] = Place(k, to_outputs);
    }
  }
  // After it.
  void ReadCarried(bool from_outputs) {
    for (size_t k = 0; k < plan_.num_carried; ++k) {
      MoveInput(Body(0), first_input_ + k, Place(k, from_outputs), Child(0));
    }
  }
  // At the end, wherever the last iteration left them.
  void FinishCarried() {
    for (size_t k = 0; k < plan_.num_carried; ++k) {
      const std::byte* from = Child(0).slots[Body(0).inputs()[first_input_ + k]].tensor.data;
      std::byte* to = Output(k);
      if (from != to && plan_.bytes[k] != 0) std::memcpy(to, from, plan_.bytes[k]);
    }
  }

 private:
  std::byte* Place(size_t k, bool output) const {
    return output ? Output(k) : scratch_[plan_.spare[k]];
  }
  size_t first_input_ = 0, first_output_ = 0;
};

class PlannedLoop : PlannedCarried {
 public:
  using PlannedCarried::PlannedCarried;
  Status Run() {
    int64_t trips = std::numeric_limits<int64_t>::max();
    bool go_on = true;
    if (HasInput(0)) {
      WB_ASSIGN_OR_RETURN(trips, ReadInt(frame_.slots[step_.inputs[0]], "the trip count"));
    }
    if (HasInput(1)) {
      WB_ASSIGN_OR_RETURN(go_on, ReadBool(frame_.slots[step_.inputs[1]], "the condition"));
    }
    std::byte* const scalars = scratch_[ControlPlan::kScalars];
    auto* const count = reinterpret_cast<int64_t*>(scalars);
    auto* const asked = reinterpret_cast<uint8_t*>(scalars + ControlPlan::kScalarStride);
    std::byte* const answer = scalars + 2 * ControlPlan::kScalarStride;
    StartCarried(2, 1);
    SetInput(Body(0), 0, {DType::kI64, Shape(), scalars, {}}, Child(0));
    SetInput(Body(0), 1, {DType::kBool, Shape(), scalars + ControlPlan::kScalarStride, {}},
             Child(0));
    for (int64_t i = 0; i < trips && go_on; ++i) {
      *count = i;
      *asked = 1;
      const bool to_outputs = i % 2 == 0;
      WriteCarried(to_outputs);
      PlaceEntries(1 + plan_.num_carried, i);
      Child(0).output_places[0] = answer;
      WB_RETURN_IF_ERROR(RunBody(0), "iteration {}", i);
      go_on = *reinterpret_cast<const uint8_t*>(answer) != 0;
      ReadCarried(to_outputs);
    }
    FinishCarried();
    return Status::Ok();
  }
};

class PlannedScan : PlannedCarried {
 public:
  using PlannedCarried::PlannedCarried;
  Status Run() {
    const size_t states = plan_.num_carried;
    StartCarried(0, 0);
    for (size_t k = 0; k < plan_.scanned.size(); ++k) {
      SetInput(Body(0), states + k, plan_.scanned[k].type, Child(0));
    }
    for (int64_t i = 0; i < plan_.length; ++i) {
      for (size_t k = 0; k < plan_.scanned.size(); ++k) {
        const ControlPlan::Entries& entries = plan_.scanned[k];
        MoveInput(Body(0), states + k, Input(states + k).data + OffsetOf(entries, i), Child(0));
      }
      PlaceEntries(states, i);
      const bool to_outputs = (plan_.length - 1 - i) % 2 == 0;
      WriteCarried(to_outputs);
      WB_RETURN_IF_ERROR(RunBody(0), "iteration {}", i);
      ReadCarried(to_outputs);
    }
    FinishCarried();
    return Status::Ok();
  }
};

}  // namespace

Status RunPlannedControl(const Program& program, const Step& step, const StepPlan& planned,
                         const RunEnv& env, Frame& frame) {
  switch (step.kind) {
    case StepKind::kIf:
      return PlannedIf(program, step, planned, env, frame).Run();
    case StepKind::kLoop:
      return PlannedLoop(program, step, planned, env, frame).Run();
    case StepKind::kScan:
      return PlannedScan(program, step, planned, env, frame).Run();
    case StepKind::kSequenceMap:
    case StepKind::kKernel:
      break;
  }
  return Error(Code::kInternal, "{} has no plan of its bodies", step.node->op_type);
}

}  // namespace waybill::exec
