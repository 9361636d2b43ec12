#include "exec/runner/segments.h"

#include <cstring>

#include "exec/plan/planner.h"
#include "exec/runner/control/control.h"
#include "exec/runner/control/planned.h"
#include "exec/runner/dynamic.h"
#include "exec/runner/poison.h"
#include "exec/runner/tails.h"
#include "exec/runner/watcher.h"
#include "kernel/api/run_context.h"

namespace waybill::exec {

namespace {

using kernel::OutputSize;
using kernel::PlanRecord;

// What the run found out, in keys of tails.
enum KeyWord : int64_t { kSizesWord = -2, kRecordWord = -3, kOwnedWord = -4, kNoTensorWord = -5 };

class SegmentedRun final : public kernel::OutputPlacer {
 public:
  SegmentedRun(const Program& program, const RunEnv& env, std::span<const Value> outputs,
               MemoryTag tag, Frame& frame)
      : program_(program), env_(env), outputs_(outputs), tag_(tag), frame_(frame) {}

  Status Run() {
    const auto steps = program_.steps();
    for (at_ = 0; at_ < steps.size(); ++at_) {
      const uint32_t home = Home();
      if (home == kNobody || PlanAt(frame_, home).step(at_).mode != StepMode::kSkip) {
        Status status = RunWatched(home);
        if (!status.ok()) return std::move(status).With(DescribeStep(step(), frame_.slots.data()));
      }
      Release();
    }
    return Status::Ok();
  }

  // Of the step at hand, whose kernel has found them out.
  Result<bool> Place(std::span<const OutputSize> sizes) override {
    size_t wanted = 0;
    for (const SlotId slot : step().outputs) wanted += slot != kNoSlot ? 1 : 0;
    if (sizes.size() != wanted) return false;
    StartKey(kSizesWord);
    for (const OutputSize& size : sizes) {
      if (!Tensor::BytesFor(size.dtype, size.shape).ok()) return false;
      frame_.key.push_back(static_cast<int64_t>(size.output));
      AppendType(size.dtype, size.shape);
    }
    WB_ASSIGN_OR_RETURN(placed_, Follow([&] {
                          Cut cut{static_cast<uint32_t>(at_), {}, {}};
                          cut.outputs.resize(step().outputs.size());
                          for (const OutputSize& size : sizes) {
                            cut.outputs[size.output].dtype = size.dtype;
                            cut.outputs[size.output].shape = size.shape;
                          }
                          return cut;
                        }));
    return placed_;
  }

 private:
  const Step& step() const { return program_.steps()[at_]; }
  uint32_t Home() const {
    const uint32_t home = frame_.home[at_];
    return home <= frame_.num_tails ? home : kNobody;
  }

  Status RunWatched(uint32_t home) {
    if (env_.terminate != nullptr && env_.terminate->load(std::memory_order_relaxed)) {
      return Error(Code::kCancelled, "Exiting due to terminate flag being set to true.");
    }
    if (env_.watcher != nullptr) env_.watcher->Begin(program_, step(), frame_.slots.data());
    WB_RETURN_IF_ERROR(RunStep(home));
    if (env_.watcher != nullptr) env_.watcher->End(program_, step(), frame_.slots.data());
    return Status::Ok();
  }

  Status RunStep(uint32_t home) {
    if (home == kNobody) return step().kind == StepKind::kKernel ? RunKernel() : RunControl();
    const StepPlan& planned = PlanAt(frame_, home).step(at_);
    if (planned.mode == StepMode::kControl) {
      return RunPlannedControl(program_, step(), planned, env_, frame_);
    }
    if (planned.mode == StepMode::kMove) return Move(planned);
    kernel::RunParts parts = PartsOf(step(), env_, frame_);
    parts.scratch = ScratchAt(frame_, home, planned);
    parts.state = planned.state.get();
    parts.pitch_bytes = planned.pitch_bytes;
    if (planned.mode == StepMode::kOpen) return RunOpen(parts);
    kernel::RunContext ctx(parts);
    return step().kernel->Run(ctx);
  }

  // The kernel sizes its outputs; where these get no places, they own their bytes.
  Status RunOpen(kernel::RunParts& parts) {
    parts.placer = this;
    placed_ = false;
    kernel::RunContext ctx(parts);
    Status status = step().kernel->Run(ctx);
    if (placed_) return status;
    Own();
    for (size_t i = 0; i < step().outputs.size() && status.ok(); ++i) {
      const SlotId slot = step().outputs[i];
      if (slot != kNoSlot && !frame_.slots[slot].value.defined()) {
        return Error(Code::kInternal, "the kernel left output {} unset", i);
      }
    }
    return status;
  }

  // Inputs are at hand now, so that outputs can be sized, but for those that only Run can size.
  Status RunKernel() {
    PlanRecord own;
    WB_ASSIGN_OR_RETURN(const PlanRecord* record, PlanInRun(program_, step(), frame_, own));
    bool tried = false;
    if (CanPlace(*record)) {
      tried = true;
      AppendRecord(*record);
      WB_ASSIGN_OR_RETURN(
          const bool placed, Follow([&] {
            return Cut{static_cast<uint32_t>(at_), record->outputs, record->scratch};
          }));
      if (placed) return RunPlaced(*record);
    }
    Own();
    WB_RETURN_IF_ERROR(RunDynamicStep(program_, step(), *record, env_, frame_));
    return tried ? Status::Ok() : FollowOwned();
  }

  Status RunControl() {
    Own();
    WB_RETURN_IF_ERROR(RunControlStep(program_, step(), env_, frame_));
    return FollowOwned();
  }

  bool CanPlace(const PlanRecord& record) const {
    if (step().always_dynamic || !IsComplete(step(), record)) return false;
    for (size_t i = 0; i < step().outputs.size(); ++i) {
      if (step().outputs[i] == kNoSlot) continue;
      const PlanRecord::Output& output = record.outputs[i];
      if (!Tensor::BytesFor(output.dtype, *output.shape).ok()) return false;
    }
    return true;
  }

  // A step whose outputs and scratch are in the tail that it has begun.
  Status RunPlaced(const PlanRecord& record) {
    bool all_views = true;
    for (size_t i = 0; i < step().outputs.size(); ++i) {
      if (step().outputs[i] == kNoSlot) continue;
      const auto& view_of = record.outputs[i].view_of;
      all_views = all_views && view_of;
      if (view_of) Copy(step().inputs[*view_of], step().outputs[i]);
    }
    if (all_views) return Status::Ok();
    const Plan& tail = PlanAt(frame_, frame_.num_tails);
    kernel::RunParts parts = PartsOf(step(), env_, frame_);
    parts.scratch = ScratchAt(frame_, frame_.num_tails, tail.step(at_));
    parts.state = record.state.get();
    kernel::RunContext ctx(parts);
    return step().kernel->Run(ctx);
  }

  Status Move(const StepPlan& planned) {
    const auto& sources = static_cast<const MoveSources&>(*planned.state);
    for (size_t i = 0; i < sources.from.size(); ++i) {
      if (sources.from[i] != kNoSlot) Copy(sources.from[i], step().outputs[i]);
    }
    return Status::Ok();
  }
  void Copy(SlotId from, SlotId to) {
    const TensorView &source = frame_.slots[from].tensor, &place = frame_.slots[to].tensor;
    const size_t bytes = place.bytes();
    if (bytes != 0 && place.data != source.data) std::memcpy(place.data, source.data, bytes);
  }

  // Outputs of the step at hand are values of their own, to be released after their last reader.
  void Own() {
    DropTails(frame_);
    frame_.owned[at_] = 1;
  }
  void Release() {
    if (program_.rules().poison_freed) {
      const auto at = static_cast<uint32_t>(at_);
      PoisonDead(*frame_.plan, at, frame_.bound_slab);
      for (uint32_t i = 0; i < frame_.num_tails; ++i) {
        PoisonDead(*frame_.tails[i].plan, at, frame_.tails[i].bound_slab);
      }
    }
    for (const SlotId slot : step().release) {
      if (frame_.owned[program_.slots()[slot].producer] != 0) frame_.slots[slot] = Slot();
    }
  }

  void StartKey(KeyWord word) {
    frame_.key.push_back(word);
    frame_.key.push_back(static_cast<int64_t>(at_));
  }
  void AppendType(DType dtype, const Shape& shape) {
    frame_.key.push_back(static_cast<int64_t>(dtype));
    frame_.key.push_back(static_cast<int64_t>(shape.rank()));
    frame_.key.insert(frame_.key.end(), shape.dims().begin(), shape.dims().end());
  }
  void AppendRecord(const PlanRecord& record) {
    StartKey(kRecordWord);
    for (size_t i = 0; i < step().outputs.size(); ++i) {
      if (step().outputs[i] == kNoSlot) continue;
      const PlanRecord::Output& output = record.outputs[i];
      AppendType(output.dtype, *output.shape);
      frame_.key.push_back(output.view_of ? static_cast<int64_t>(*output.view_of) : -1);
    }
    for (const kernel::ScratchBooking& booking : record.scratch) {
      frame_.key.push_back(static_cast<int64_t>(booking.bytes));
      frame_.key.push_back(static_cast<int64_t>(booking.align));
    }
  }

  // After a step whose outputs own their bytes.
  Status FollowOwned() {
    if (!PlanAt(frame_, frame_.num_tails).step(at_).has_followers) return Status::Ok();
    StartKey(kOwnedWord);
    for (const SlotId slot : step().outputs) {
      const bool is_tensor = slot != kNoSlot && frame_.slots[slot].value.tensor() != nullptr;
      if (is_tensor) {
        AppendType(frame_.slots[slot].tensor.dtype, frame_.slots[slot].tensor.shape);
      } else {
        frame_.key.push_back(kNoTensorWord);
      }
    }
    return Follow([&] { return Cut{static_cast<uint32_t>(at_), {}, {}}; }).status();
  }

  // Goes on with the tail for what has been found out. False when there is none: sizes that do not
  // go together are reported by the step that they do not fit.
  template <typename MakeCut>
  Result<bool> Follow(const MakeCut& make_cut) {
    if (frame_.num_tails >= kMaxTails) return false;
    std::shared_ptr<const Plan> plan = program_.tails().Find(frame_.key);
    if (plan == nullptr) {
      std::vector<const Plan*> earlier;
      for (uint32_t i = 0; i <= frame_.num_tails; ++i) earlier.push_back(&PlanAt(frame_, i));
      PlanOptions options{env_.plan_source(), WidthOf(frame_), frame_.key};
      auto made = MakeTail(program_, frame_.slots, earlier, make_cut(), options);
      if (!made.ok()) {
        if (made.status().code() == Code::kOutOfMemory) return std::move(made).status();
        return false;
      }
      const size_t bytes = (*made)->HeapBytes();
      plan = program_.tails().Insert(frame_.key, std::move(*made), bytes);
    }
    WB_RETURN_IF_ERROR(AddTail(program_, env_, outputs_, tag_, std::move(plan), frame_));
    return true;
  }

  const Program& program_;
  const RunEnv& env_;
  const std::span<const Value> outputs_;
  const MemoryTag tag_;
  Frame& frame_;
  size_t at_ = 0;        // the step at hand
  bool placed_ = false;  // its outputs have got places in a tail
};

}  // namespace

Status RunSegments(const Program& program, const RunEnv& env, std::span<const Value> outputs,
                   MemoryTag tag, Frame& frame) {
  return SegmentedRun(program, env, outputs, tag, frame).Run();
}

}  // namespace waybill::exec
