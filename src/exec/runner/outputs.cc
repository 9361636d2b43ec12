#include "exec/runner/outputs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace waybill::exec {

namespace {

Status CheckGiven(const std::string& name, const Value& given, DType dtype, const Shape& shape) {
  const Tensor* tensor = given.tensor();
  if (tensor == nullptr) {
    return Error(Code::kInvalidArgument,
                 "output {} is {} {} but the value given for it is no tensor", name,
                 DTypeName(dtype), shape);
  }
  if (tensor->dtype() != dtype) {
    return Error(
        Code::kInvalidArgument,
        "Unexpected output data type for {}. Actual: (tensor({})) , expected: (tensor({}))", name,
        DTypeName(tensor->dtype()), DTypeName(dtype));
  }
  if (tensor->shape() != shape) {
    return Error(
        Code::kInvalidArgument,
        "Got invalid dimensions for output: {}: the tensor given has shape {}, the output {}", name,
        tensor->shape(), shape);
  }
  return Status::Ok();
}

bool IsAligned(const TensorView& view) {
  return reinterpret_cast<uintptr_t>(view.data) % DTypeAlign(view.dtype) == 0;
}

void CopyInto(const TensorView& from, const TensorView& to) {
  if (from.dtype == DType::kString) {
    const auto source = from.span<const std::string>();
    std::copy(source.begin(), source.end(), to.as<std::string>());
  } else if (const size_t bytes = to.bytes(); bytes != 0 && from.data != to.data) {
    std::memcpy(to.data, from.data, bytes);
  }
}

// Nobody but the slot holds the bytes, so they may leave the run as they are.
bool IsSoleOwner(const Tensor& tensor) { return tensor.storage().owner().use_count() == 1; }

class Closer {
 public:
  Closer(const Program& program, const Plan& plan, const RunEnv& env, Sharing sharing, Frame& frame)
      : program_(program), plan_(plan), env_(env), sharing_(sharing), frame_(frame) {}

  Status Close(uint32_t k, Value& output) {
    const Slot& slot = frame_.slots[program_.outputs()[k]];
    const std::string& name = program_.value_of(program_.outputs()[k]).name;
    switch (plan_.outputs[k].mode) {
      case OutputMode::kDirect:
        return CloseDirect(frame_.outputs[k], output);
      case OutputMode::kCopy:
        return HandOver(name, slot, output, false);
      case OutputMode::kDynamic:
        return HandOver(name, slot, output, true);
    }
    return Status::Ok();
  }

 private:
  static Status CloseDirect(Tensor& written, Value& output) {
    if (!output.defined()) {
      output = Value(std::move(written));
    } else {
      CopyInto(written.view(), output.tensor()->view());
    }
    return Status::Ok();
  }

  Status HandOver(const std::string& name, const Slot& slot, Value& output, bool may_leave) {
    const bool owned = slot.value.defined();
    if (owned && slot.value.tensor() == nullptr) {
      output = slot.value;
      return Status::Ok();
    }
    if (slot.tensor.dtype == DType::kUndefined) {
      return Error(Code::kInternal, "output {} was not computed", name);
    }
    if (output.defined()) {
      WB_RETURN_IF_ERROR(CheckGiven(name, output, slot.tensor.dtype, slot.tensor.shape));
      CopyInto(slot.tensor, output.tensor()->view());
      return Status::Ok();
    }
    const bool shares = sharing_ == Sharing::kAllowed;
    if (owned && (shares || (may_leave && IsSoleOwner(*slot.value.tensor())))) {
      output = slot.value;
      return Status::Ok();
    }
    WB_ASSIGN_OR_RETURN(
        Tensor copy,
        CopyTensor(slot.tensor, *env_.dynamic, shares ? MemoryTag::kDynamic : MemoryTag::kOutput),
        "output {}", name);
    output = Value(std::move(copy));
    return Status::Ok();
  }

  const Program& program_;
  const Plan& plan_;
  const RunEnv& env_;
  Sharing sharing_;
  Frame& frame_;
};

}  // namespace

Status OpenOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                   std::span<const Value> outputs, MemoryTag tag, Frame& frame) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    const OutputPlan& planned = plan.outputs[k];
    if (planned.mode == OutputMode::kDynamic) continue;
    const std::string& name = program.value_of(program.outputs()[k]).name;
    if (outputs[k].defined()) {
      WB_RETURN_IF_ERROR(CheckGiven(name, outputs[k], planned.dtype, planned.shape));
    }
    if (planned.mode != OutputMode::kDirect) continue;
    if (outputs[k].defined() && IsAligned(outputs[k].tensor()->view())) {
      frame.outputs[k] = *outputs[k].tensor();
      continue;
    }
    WB_ASSIGN_OR_RETURN(frame.outputs[k],
                        Tensor::Allocate(planned.dtype, planned.shape, *env.dynamic, tag),
                        "output {}", name);
  }
  return Status::Ok();
}

Status CloseOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                    std::span<Value> outputs, Sharing sharing, Frame& frame) {
  Closer closer(program, plan, env, sharing, frame);
  for (uint32_t k = 0; k < outputs.size(); ++k) {
    WB_RETURN_IF_ERROR(closer.Close(k, outputs[k]));
  }
  return Status::Ok();
}

}  // namespace waybill::exec
