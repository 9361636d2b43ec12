#include "kernel/api/run_context.h"

namespace waybill::kernel {

Result<Tensor> RunContext::AllocateTensor(DType dtype, const Shape& shape) {
  return Tensor::Allocate(dtype, shape, *p_.dynamic_source, MemoryTag::kDynamic);
}

Status RunContext::SizeOutputs(std::span<const OutputSize> sizes) {
  if (p_.placer == nullptr || sized_) return Status::Ok();
  sized_ = true;
  WB_ASSIGN_OR_RETURN(placed_, p_.placer->Place(sizes));
  return Status::Ok();
}

Result<TensorView> RunContext::AllocateOutput(size_t i, DType dtype, const Shape& shape) {
  if (p_.placer != nullptr) {
    const OutputSize size{i, dtype, shape};
    WB_RETURN_IF_ERROR(SizeOutputs({&size, 1}));
    if (placed_) return output(i);
  }
  WB_ASSIGN_OR_RETURN(Tensor tensor, AllocateTensor(dtype, shape), "output {}", i);
  const TensorView view = tensor.view();
  SetOutputValue(i, Value(std::move(tensor)));
  return view;
}

void RunContext::SetOutputValue(size_t i, Value value) {
  if (!wants_output(i)) return;
  Slot& slot = p_.slots[p_.outputs[i]];
  if (const Tensor* tensor = value.tensor()) slot.tensor = tensor->view();
  slot.value = std::move(value);
}

Result<Value> RunContext::ShareInput(size_t i) {
  const Slot& slot = p_.slots[p_.inputs[i]];
  if (slot.value.defined()) return slot.value;
  WB_ASSIGN_OR_RETURN(Tensor copy,
                      CopyTensor(slot.tensor, *p_.dynamic_source, MemoryTag::kDynamic));
  return Value(std::move(copy));
}

}  // namespace waybill::kernel
