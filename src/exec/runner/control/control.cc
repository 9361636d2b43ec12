#include "exec/runner/control/control.h"

#include "exec/runner/dynamic.h"

namespace waybill::exec {

namespace {

Status CheckSingle(const TensorView& tensor, DType dtype, std::string_view what) {
  if (tensor.dtype == dtype && tensor.elems() == 1) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} must be one {}, not {}", what, DTypeName(dtype),
               tensor.Describe());
}

template <typename T>
Result<Value> Scalar(T value, DType dtype, const RunEnv& env) {
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(dtype, Shape(), *env.dynamic, MemoryTag::kDynamic));
  tensor.span<T>()[0] = value;
  return Value(std::move(tensor));
}

}  // namespace

Slot SlotOf(Value value) {
  Slot slot;
  if (value.tensor() != nullptr) slot.tensor = value.tensor()->view();
  slot.value = std::move(value);
  return slot;
}

Result<Value> OwnedValue(const Slot& slot, const RunEnv& env) {
  if (slot.value.defined()) return slot.value;
  WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(slot.tensor, *env.dynamic, MemoryTag::kDynamic));
  return Value(std::move(copy));
}

Result<Value> ScalarValue(int64_t value, const RunEnv& env) {
  return Scalar(value, DType::kI64, env);
}
Result<Value> ScalarValue(bool value, const RunEnv& env) {
  return Scalar(value, DType::kBool, env);
}

Result<bool> ReadBool(const Slot& slot, std::string_view what) {
  WB_RETURN_IF_ERROR(CheckSingle(slot.tensor, DType::kBool, what));
  return *slot.tensor.as<const uint8_t>() != 0;
}

Result<int64_t> ReadInt(const Slot& slot, std::string_view what) {
  WB_RETURN_IF_ERROR(CheckSingle(slot.tensor, DType::kI64, what));
  return *slot.tensor.as<const int64_t>();
}

Result<bool> ReadBool(const Value& value, std::string_view what) {
  if (value.tensor() == nullptr) {
    return Error(Code::kInvalidArgument, "{} must be one bool, not {}", what,
                 value.type().ToString());
  }
  WB_RETURN_IF_ERROR(CheckSingle(value.tensor()->view(), DType::kBool, what));
  return *value.tensor()->view().as<const uint8_t>() != 0;
}

Status RunControlStep(const Program& program, const Step& step, const RunEnv& env, Frame& frame) {
  switch (step.kind) {
    case StepKind::kIf:
      return RunIf(program, step, env, frame);
    case StepKind::kLoop:
      return RunLoop(program, step, env, frame);
    case StepKind::kScan:
      return step.node->since_version == 8 ? RunBatchedScan(program, step, env, frame)
                                           : RunScan(program, step, env, frame);
    case StepKind::kSequenceMap:
      return RunSequenceMap(program, step, env, frame);
    case StepKind::kKernel:
      break;
  }
  return Error(Code::kInternal, "{} is no control flow", step.node->op_type);
}

}  // namespace waybill::exec
