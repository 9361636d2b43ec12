#include "exec/program/step.h"

namespace waybill::exec {

std::string DescribeStep(const Step& step, const Slot* slots) {
  std::string out = Format("node {} (opset {}) on (", step.node->Describe(), step.node->opset);
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (i != 0) out += ", ";
    if (step.inputs[i] == kNoSlot) {
      out += "omitted";
      continue;
    }
    const Slot& slot = slots[step.inputs[i]];
    const bool is_tensor = !slot.value.defined() || slot.value.tensor() != nullptr;
    out += is_tensor ? slot.tensor.Describe() : slot.value.type().ToString();
  }
  return out + ")";
}

}  // namespace waybill::exec
