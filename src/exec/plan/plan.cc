#include "exec/plan/plan.h"

#include "exec/plan/control_plan.h"
#include "memory/source/source.h"

namespace waybill::exec {

size_t Plan::HeapBytes() const {
  size_t bytes = sizeof(Plan);
  bytes += bindings.capacity() * sizeof(Binding) + steps.capacity() * sizeof(StepPlan);
  bytes += scratch_offsets.capacity() * sizeof(size_t) + outputs.capacity() * sizeof(OutputPlan);
  bytes += buffers.capacity() * sizeof(PlannedBuffer);
  bytes += key.capacity() * sizeof(int64_t);
  for (const PlannedBuffer& buffer : buffers) bytes += buffer.name.capacity();
  for (const Binding& binding : bindings) {
    const Tensor* folded = binding.home == Home::kConstant ? binding.constant.tensor() : nullptr;
    if (folded != nullptr) bytes += sizeof(Tensor) + kBlockAlign + folded->view().bytes();
  }
  for (const StepPlan& step : steps) {
    if (step.state != nullptr) bytes += step.state->HeapBytes();
    if (step.control == nullptr) continue;
    bytes += sizeof(ControlPlan);
    for (const std::string& why : step.control->not_planned) bytes += why.capacity();
    for (const auto& body : step.control->bodies) {
      if (body != nullptr) bytes += body->HeapBytes();
    }
  }
  return bytes;
}

}  // namespace waybill::exec
