#include <limits>

#include "exec/runner/control/control.h"
#include "exec/runner/control/stack.h"
#include "exec/runner/dynamic.h"

namespace waybill::exec {

namespace {

// Loop: inputs M, cond, carried...; body inputs iteration, cond, carried...; body outputs cond,
// carried..., scans...; outputs carried..., scans...
class LoopRun {
 public:
  LoopRun(const Program& program, const Step& step, const RunEnv& env, Frame& frame)
      : step_(step),
        env_(env),
        frame_(frame),
        body_(program.body(step.bodies[0])),
        num_carried_(step.inputs.size() < 2 ? 0 : step.inputs.size() - 2) {}

  Status Run() {
    WB_RETURN_IF_ERROR(Start());
    for (int64_t i = 0; i < trips_ && go_on_; ++i) {
      WB_RETURN_IF_ERROR(Iterate(i), "iteration {}", i);
    }
    return Finish();
  }

 private:
  bool HasInput(size_t i) const { return i < step_.inputs.size() && step_.inputs[i] != kNoSlot; }

  Status Start() {
    const size_t bodies = body_.outputs().size();
    if (bodies < 1 + num_carried_ || bodies - 1 != step_.outputs.size() ||
        body_.inputs().size() != num_carried_ + 2) {
      return Error(
          Code::kInvalidGraph,
          "the body has {} inputs and {} outputs, which do not fit {} carried values and {} "
          "outputs of the node",
          body_.inputs().size(), bodies, num_carried_, step_.outputs.size());
    }
    if (HasInput(0)) {
      WB_ASSIGN_OR_RETURN(trips_, ReadInt(frame_.slots[step_.inputs[0]], "the trip count"));
    }
    if (HasInput(1)) {
      WB_ASSIGN_OR_RETURN(go_on_, ReadBool(frame_.slots[step_.inputs[1]], "the condition"));
    }
    in_.resize(num_carried_ + 2);
    for (size_t i = 0; i < num_carried_; ++i) {
      if (!HasInput(i + 2)) {
        return Error(Code::kInvalidGraph, "loop-carried input {} is omitted", i);
      }
      in_[i + 2] = frame_.slots[step_.inputs[i + 2]];
    }
    stacks_.resize(bodies - 1 - num_carried_);
    return Status::Ok();
  }

  Status Iterate(int64_t i) {
    WB_ASSIGN_OR_RETURN(Value count, ScalarValue(i, env_));
    WB_ASSIGN_OR_RETURN(Value condition, ScalarValue(go_on_, env_));
    in_[0] = SlotOf(std::move(count));
    in_[1] = SlotOf(std::move(condition));
    std::vector<Value> out(body_.outputs().size());
    WB_RETURN_IF_ERROR(RunBody(body_, env_, in_, frame_.slots.data(), out));
    WB_ASSIGN_OR_RETURN(go_on_, ReadBool(out[0], "the body's condition"));
    for (size_t k = 0; k < num_carried_; ++k) in_[k + 2] = SlotOf(std::move(out[k + 1]));
    for (size_t k = 0; k < stacks_.size(); ++k) {
      WB_RETURN_IF_ERROR(stacks_[k].Add(std::move(out[k + 1 + num_carried_])), "scan output {}", k);
    }
    return Status::Ok();
  }

  Status Finish() {
    for (size_t k = 0; k < num_carried_; ++k) {
      if (step_.outputs[k] == kNoSlot) continue;
      WB_ASSIGN_OR_RETURN(Value value, OwnedValue(in_[k + 2], env_));
      in_[k + 2] = Slot();
      SetSlot(frame_, step_.outputs[k], std::move(value));
    }
    for (size_t k = 0; k < stacks_.size(); ++k) {
      const SlotId slot = step_.outputs[num_carried_ + k];
      if (slot == kNoSlot) continue;
      const graph::Value& item = body_.value_of(body_.outputs()[1 + num_carried_ + k]);
      WB_ASSIGN_OR_RETURN(Value value, stacks_[k].Stack(0, false, item, env_), "scan output {}", k);
      SetSlot(frame_, slot, std::move(value));
    }
    return Status::Ok();
  }

  const Step& step_;
  const RunEnv& env_;
  Frame& frame_;
  const Program& body_;
  const size_t num_carried_;
  int64_t trips_ = std::numeric_limits<int64_t>::max();
  bool go_on_ = true;
  std::vector<Slot> in_;
  std::vector<Stacker> stacks_;
};

}  // namespace

Status RunLoop(const Program& program, const Step& step, const RunEnv& env, Frame& frame) {
  return LoopRun(program, step, env, frame).Run();
}

}  // namespace waybill::exec
