#include "exec/runner/outputs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "exec/runner/detach.h"
#include "exec/runner/poison.h"

namespace waybill::exec {

namespace {

Status CheckGivenType(const std::string& name, const Value& given, DType dtype) {
  const Tensor* tensor = given.tensor();
  if (tensor == nullptr) {
    return Error(Code::kInvalidArgument,
                 "output {} is a {} tensor but the value given for it is no tensor", name,
                 DTypeName(dtype));
  }
  if (tensor->dtype() == dtype) return Status::Ok();
  return Error(Code::kInvalidArgument,
               "Unexpected output data type for {}. Actual: (tensor({})) , expected: (tensor({}))",
               name, DTypeName(tensor->dtype()), DTypeName(dtype));
}

// The given tensor's place with the shape of the output.
Result<Tensor> FitGiven(const std::string& name, const Value& given, DType dtype,
                        const Shape& shape, bool may_reshape) {
  WB_RETURN_IF_ERROR(CheckGivenType(name, given, dtype));
  const Tensor& tensor = *given.tensor();
  if (tensor.shape() == shape) return tensor;
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(dtype, shape), "output {}", name);
  // Strings are objects: there are as many as were made, however many bytes there are.
  const bool fits = dtype == DType::kString ? shape.elems() <= tensor.shape().elems()
                                            : bytes <= tensor.storage().bytes();
  if (may_reshape && fits) return Tensor::Wrap(dtype, shape, tensor.storage());
  return Error(
      Code::kInvalidArgument,
      "Got invalid dimensions for output: {}: the tensor given has shape {} in {} bytes, the "
      "output {} needs {}",
      name, tensor.shape(), tensor.storage().bytes(), shape, bytes);
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
    switch (ModeOf(k)) {
      case OutputMode::kDirect:
        return CloseDirect(name, frame_.outputs[k], output);
      case OutputMode::kCopy:
        return HandOver(name, slot, output, false);
      case OutputMode::kDynamic:
        return HandOver(name, slot, output, true);
    }
    return Status::Ok();
  }

 private:
  // The first plan knows, or else the tail that came to the output.
  OutputMode ModeOf(uint32_t k) const {
    OutputMode mode = plan_.outputs[k].mode;
    for (uint32_t i = 0; i < frame_.num_tails && mode == OutputMode::kDynamic; ++i) {
      const auto& outputs = frame_.tails[i].plan->outputs;
      if (!outputs.empty()) mode = outputs[k].mode;
    }
    return mode;
  }

  Status CloseDirect(const std::string& name, Tensor& written, Value& output) {
    if (output.defined()) {
      return CopyToGiven(name, written.view(), env_.reshape_outputs, output);
    }
    output = Value(std::move(written));
    return Status::Ok();
  }

  Status HandOver(const std::string& name, const Slot& slot, Value& output, bool may_leave) {
    const bool owned = slot.value.defined();
    if (owned && slot.value.tensor() == nullptr) {
      WB_RETURN_IF_ERROR(CheckGivenKind(name, slot.value, output));
      if (sharing_ == Sharing::kAllowed) {
        output = slot.value;
        return Status::Ok();
      }
      WB_ASSIGN_OR_RETURN(output, Own(slot.value), "output {}", name);
      return Status::Ok();
    }
    if (slot.tensor.dtype == DType::kUndefined) {
      return Error(Code::kInternal, "output {} was not computed", name);
    }
    if (output.defined()) {
      return CopyToGiven(name, slot.tensor, env_.reshape_outputs, output);
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

  // A container for the caller alone.
  Result<Value> Own(const Value& container) {
    if (!detacher_) {
      std::vector<const Value*> inputs;
      for (const SlotId input : program_.inputs()) inputs.push_back(&frame_.slots[input].value);
      detacher_.emplace(inputs, *env_.dynamic);
    }
    return detacher_->Take(container);
  }

  const Program& program_;
  const Plan& plan_;
  const RunEnv& env_;
  Sharing sharing_;
  Frame& frame_;
  std::optional<Detacher> detacher_;
};

Status CheckGivenKind(const std::string& name, const ValueType& type, const Value& given) {
  if (!given.defined() || given.kind() == type.kind) return Status::Ok();
  return Error(Code::kInvalidArgument, "output {} is {}, the value given for it {}", name,
               type.TypeString(), given.type().TypeString());
}

// Of outputs whose shape only the run tells, the type at least is known before it.
Status CheckDynamic(const graph::Value& declared, const Value& given) {
  const ValueType& type = declared.type;
  if (!given.defined() || type.kind == ValueKind::kUnknown) return Status::Ok();
  if (type.is_tensor()) {
    if (type.dtype == DType::kUndefined) return Status::Ok();
    return CheckGivenType(declared.name, given, type.dtype);
  }
  return CheckGivenKind(declared.name, type, given);
}

}  // namespace

Status CheckGivenKind(const std::string& name, const Value& made, const Value& given) {
  return CheckGivenKind(name, made.type(), given);
}

Status CopyToGiven(const std::string& name, const TensorView& made, bool may_reshape,
                   Value& given) {
  WB_ASSIGN_OR_RETURN(Tensor place, FitGiven(name, given, made.dtype, made.shape, may_reshape));
  CopyInto(made, place.view());
  if (place.shape() != given.tensor()->shape()) given = Value(std::move(place));
  return Status::Ok();
}

Status OpenOutputs(const Program& program, const Plan& plan, const RunEnv& env,
                   std::span<const Value> outputs, MemoryTag tag, Frame& frame) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    const OutputPlan& planned = plan.outputs[k];
    const graph::Value& declared = program.value_of(program.outputs()[k]);
    if (planned.mode == OutputMode::kDynamic) {
      WB_RETURN_IF_ERROR(CheckDynamic(declared, outputs[k]));
      continue;
    }
    const std::string& name = declared.name;
    Tensor place;
    if (outputs[k].defined()) {
      WB_ASSIGN_OR_RETURN(
          place, FitGiven(name, outputs[k], planned.dtype, planned.shape, env.reshape_outputs));
    }
    if (planned.mode != OutputMode::kDirect) continue;
    if (place.defined() && IsAligned(place.view())) {
      frame.outputs[k] = std::move(place);
      frame.output_places[k] = frame.outputs[k].view().data;
      continue;
    }
    WB_ASSIGN_OR_RETURN(frame.outputs[k],
                        Tensor::Allocate(planned.dtype, planned.shape, *env.dynamic, tag),
                        "output {}", name);
    frame.output_places[k] = frame.outputs[k].view().data;
    if (program.rules().poison_freed) PoisonFresh(frame.outputs[k].storage().view());
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
