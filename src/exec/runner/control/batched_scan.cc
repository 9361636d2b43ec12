#include <cstring>

#include "exec/runner/control/control.h"
#include "exec/runner/control/stack.h"
#include "exec/runner/dynamic.h"

namespace waybill::exec {

namespace {

// Scan of opset 8: inputs lengths, states [batch, ...]..., scans [batch, time, ...]...; each batch
// entry runs by itself for its own length; outputs past it are zero.
class BatchedScanRun {
 public:
  BatchedScanRun(const Program& program, const Step& step, const RunEnv& env, Frame& frame)
      : step_(step),
        env_(env),
        frame_(frame),
        body_(program.body(step.bodies[0])),
        directions_(step.node->attrs.Ints("directions")) {}

  Status Run() {
    WB_RETURN_IF_ERROR(Start());
    for (int64_t b = 0; b < batch_; ++b) {
      WB_RETURN_IF_ERROR(RunEntry(b), "batch entry {}", b);
    }
    for (size_t k = 0; k < step_.outputs.size(); ++k) {
      if (step_.outputs[k] == kNoSlot) continue;
      const graph::Value& item = body_.value_of(body_.outputs()[k]);
      WB_ASSIGN_OR_RETURN(Value value, results_[k].Stack(0, false, item, env_));
      SetSlot(frame_, step_.outputs[k], std::move(value));
    }
    return Status::Ok();
  }

 private:
  // State or scan input k, without the lengths.
  const TensorView& Input(size_t k) const { return frame_.slots[step_.inputs[k + 1]].tensor; }

  Status Start() {
    const int64_t scans = step_.node->attrs.Int("num_scan_inputs");
    if (step_.inputs.empty() || scans < 1 || static_cast<size_t>(scans) >= step_.inputs.size()) {
      return Error(Code::kInvalidGraph, "num_scan_inputs is {} but the node has {} inputs", scans,
                   step_.inputs.size());
    }
    num_inputs_ = step_.inputs.size() - 1;
    num_states_ = num_inputs_ - static_cast<size_t>(scans);
    if (body_.inputs().size() != num_inputs_ || body_.outputs().size() != step_.outputs.size() ||
        step_.outputs.size() < num_states_) {
      return Error(Code::kInvalidGraph, "the body has {} inputs and {} outputs, the node {} and {}",
                   body_.inputs().size(), body_.outputs().size(), num_inputs_,
                   step_.outputs.size());
    }
    for (size_t k = 0; k < num_inputs_; ++k) {
      if (step_.inputs[k + 1] == kNoSlot) return Error(Code::kInvalidGraph, "an input is omitted");
      const Shape& shape = Input(k).shape;
      const bool is_scan = k >= num_states_;
      if (shape.rank() < (is_scan ? 2u : 1u) || (batch_ >= 0 && shape[0] != batch_) ||
          (is_scan && time_ >= 0 && shape[1] != time_)) {
        return Error(Code::kInvalidArgument,
                     "input {} is {}, which does not fit batch {} and time {}", k,
                     Input(k).Describe(), batch_, time_);
      }
      batch_ = shape[0];
      if (is_scan) time_ = shape[1];
    }
    results_.resize(step_.outputs.size());
    return Status::Ok();
  }

  Result<int64_t> LengthOf(int64_t b) const {
    if (step_.inputs[0] == kNoSlot) return time_;
    const TensorView& lengths = frame_.slots[step_.inputs[0]].tensor;
    if (lengths.dtype != DType::kI64 || lengths.elems() != batch_) {
      return Error(Code::kInvalidArgument, "sequence_lens is {} for batch {}", lengths.Describe(),
                   batch_);
    }
    const int64_t length = lengths.as<const int64_t>()[b];
    if (length < 1 || length > time_) {
      return Error(Code::kInvalidArgument, "sequence length {} is not in [1, {}]", length, time_);
    }
    return length;
  }

  Status RunEntry(int64_t b) {
    WB_ASSIGN_OR_RETURN(const int64_t length, LengthOf(b));
    std::vector<Slot> in(num_inputs_), rows(num_inputs_);
    for (size_t k = 0; k < num_inputs_; ++k) {
      WB_ASSIGN_OR_RETURN((k < num_states_ ? in : rows)[k], SliceAlong(Input(k), 0, b, env_));
    }
    std::vector<Stacker> stacks(step_.outputs.size() - num_states_);
    for (int64_t t = 0; t < length; ++t) {
      for (size_t k = num_states_; k < num_inputs_; ++k) {
        const size_t d = k - num_states_;
        const bool reversed = d < directions_.size() && directions_[d] != 0;
        WB_ASSIGN_OR_RETURN(in[k],
                            SliceAlong(rows[k].tensor, 0, reversed ? length - 1 - t : t, env_));
      }
      std::vector<Value> out(body_.outputs().size());
      WB_RETURN_IF_ERROR(RunBody(body_, env_, in, frame_.slots.data(), out), "iteration {}", t);
      for (size_t k = 0; k < num_states_; ++k) in[k] = SlotOf(std::move(out[k]));
      for (size_t k = 0; k < stacks.size(); ++k) {
        WB_RETURN_IF_ERROR(stacks[k].Add(std::move(out[num_states_ + k])));
      }
    }
    for (size_t k = 0; k < num_states_; ++k) {
      WB_ASSIGN_OR_RETURN(Value state, OwnedValue(in[k], env_));
      WB_RETURN_IF_ERROR(results_[k].Add(std::move(state)));
    }
    for (size_t k = 0; k < stacks.size(); ++k) {
      WB_RETURN_IF_ERROR(AddPadded(stacks[k], num_states_ + k));
    }
    return Status::Ok();
  }

  Status AddPadded(const Stacker& stack, size_t output) {
    const graph::Value& item = body_.value_of(body_.outputs()[output]);
    WB_ASSIGN_OR_RETURN(Value value, stack.Stack(0, false, item, env_));
    const Tensor& part = *value.tensor();
    if (part.shape()[0] == time_) return results_[output].Add(std::move(value));
    Shape shape = part.shape();
    shape[0] = time_;
    WB_ASSIGN_OR_RETURN(Tensor padded,
                        Tensor::Allocate(part.dtype(), shape, *env_.dynamic, MemoryTag::kDynamic));
    if (part.dtype() == DType::kString) {
      const auto from = part.span<const std::string>();
      std::copy(from.begin(), from.end(), padded.span<std::string>().begin());
    } else {
      const size_t bytes = part.view().bytes();
      if (bytes != 0) std::memcpy(padded.view().data, part.view().data, bytes);
      std::memset(padded.view().data + bytes, 0, padded.view().bytes() - bytes);
    }
    return results_[output].Add(Value(std::move(padded)));
  }

  const Step& step_;
  const RunEnv& env_;
  Frame& frame_;
  const Program& body_;
  const std::vector<int64_t> directions_;
  size_t num_inputs_ = 0, num_states_ = 0;
  int64_t batch_ = -1, time_ = -1;
  std::vector<Stacker> results_;
};

}  // namespace

Status RunBatchedScan(const Program& program, const Step& step, const RunEnv& env, Frame& frame) {
  return BatchedScanRun(program, step, env, frame).Run();
}

}  // namespace waybill::exec
