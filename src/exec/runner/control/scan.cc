#include "exec/runner/control/control.h"
#include "exec/runner/control/stack.h"
#include "exec/runner/dynamic.h"

namespace waybill::exec {

namespace {

int64_t At(const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; }

// Scan of opset 9 on: inputs states..., scans...; body inputs states..., slices...; outputs
// states..., stacked slices...
class ScanRun {
 public:
  ScanRun(const Program& program, const Step& step, const RunEnv& env, Frame& frame)
      : step_(step),
        env_(env),
        frame_(frame),
        body_(program.body(step.bodies[0])),
        in_axes_(step.node->attrs.Ints("scan_input_axes")),
        in_reversed_(step.node->attrs.Ints("scan_input_directions")),
        out_axes_(step.node->attrs.Ints("scan_output_axes")),
        out_reversed_(step.node->attrs.Ints("scan_output_directions")) {}

  Status Run() {
    WB_RETURN_IF_ERROR(Start());
    for (int64_t i = 0; i < length_; ++i) WB_RETURN_IF_ERROR(Iterate(i), "iteration {}", i);
    return Finish();
  }

 private:
  const TensorView& ScanInput(size_t k) const {
    return frame_.slots[step_.inputs[num_states_ + k]].tensor;
  }

  Status Start() {
    const int64_t scans = step_.node->attrs.Int("num_scan_inputs");
    if (scans < 1 || static_cast<size_t>(scans) > step_.inputs.size()) {
      return Error(Code::kInvalidGraph, "num_scan_inputs is {} but the node has {} inputs", scans,
                   step_.inputs.size());
    }
    num_scans_ = static_cast<size_t>(scans);
    num_states_ = step_.inputs.size() - num_scans_;
    if (body_.inputs().size() != step_.inputs.size() ||
        body_.outputs().size() != step_.outputs.size() || step_.outputs.size() < num_states_) {
      return Error(Code::kInvalidGraph,
                   "the body has {} inputs and {} outputs, which do not fit the node's {} and {}",
                   body_.inputs().size(), body_.outputs().size(), step_.inputs.size(),
                   step_.outputs.size());
    }
    for (const SlotId slot : step_.inputs) {
      if (slot == kNoSlot) return Error(Code::kInvalidGraph, "an input is omitted");
    }
    in_.resize(step_.inputs.size());
    for (size_t i = 0; i < num_states_; ++i) in_[i] = frame_.slots[step_.inputs[i]];
    stacks_.resize(step_.outputs.size() - num_states_);
    return FindLength();
  }

  Status FindLength() {
    for (size_t k = 0; k < num_scans_; ++k) {
      const Shape& shape = ScanInput(k).shape;
      const auto axis = NormalizeAxis(At(in_axes_, k), shape.rank());
      if (!axis) {
        return Error(Code::kInvalidArgument, "scan input axis {} is out of range for {}",
                     At(in_axes_, k), ScanInput(k).Describe());
      }
      axes_.push_back(*axis);
      const int64_t length = shape[*axis];
      if (length_ >= 0 && length != length_) {
        return Error(Code::kInvalidArgument, "scan input {} has {} entries, the first has {}", k,
                     length, length_);
      }
      length_ = length;
    }
    return Status::Ok();
  }

  Status Iterate(int64_t i) {
    for (size_t k = 0; k < num_scans_; ++k) {
      const int64_t at = At(in_reversed_, k) != 0 ? length_ - 1 - i : i;
      WB_ASSIGN_OR_RETURN(in_[num_states_ + k], SliceAlong(ScanInput(k), axes_[k], at, env_));
    }
    std::vector<Value> out(body_.outputs().size());
    WB_RETURN_IF_ERROR(RunBody(body_, env_, in_, frame_.slots.data(), out));
    for (size_t k = 0; k < num_states_; ++k) in_[k] = SlotOf(std::move(out[k]));
    for (size_t k = 0; k < stacks_.size(); ++k) {
      WB_RETURN_IF_ERROR(stacks_[k].Add(std::move(out[num_states_ + k])), "scan output {}", k);
    }
    return Status::Ok();
  }

  Status Finish() {
    for (size_t k = 0; k < num_states_; ++k) {
      if (step_.outputs[k] == kNoSlot) continue;
      WB_ASSIGN_OR_RETURN(Value value, OwnedValue(in_[k], env_));
      in_[k] = Slot();
      SetSlot(frame_, step_.outputs[k], std::move(value));
    }
    for (size_t k = 0; k < stacks_.size(); ++k) {
      const SlotId slot = step_.outputs[num_states_ + k];
      if (slot == kNoSlot) continue;
      const graph::Value& item = body_.value_of(body_.outputs()[num_states_ + k]);
      WB_ASSIGN_OR_RETURN(
          Value value, stacks_[k].Stack(At(out_axes_, k), At(out_reversed_, k) != 0, item, env_));
      SetSlot(frame_, slot, std::move(value));
    }
    return Status::Ok();
  }

  const Step& step_;
  const RunEnv& env_;
  Frame& frame_;
  const Program& body_;
  const std::vector<int64_t> in_axes_, in_reversed_, out_axes_, out_reversed_;
  size_t num_scans_ = 0, num_states_ = 0;
  int64_t length_ = -1;
  std::vector<size_t> axes_;
  std::vector<Slot> in_;
  std::vector<Stacker> stacks_;
};

}  // namespace

Status RunScan(const Program& program, const Step& step, const RunEnv& env, Frame& frame) {
  return ScanRun(program, step, env, frame).Run();
}

}  // namespace waybill::exec
