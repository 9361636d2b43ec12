#include "exec/program/program.h"

namespace waybill::exec {

void Program::SetConstants(std::span<Slot> slots) const {
  for (const PlacedConstant& constant : constants_) {
    Slot& slot = slots[constant.slot];
    slot.tensor = constant.tensor.view();
    if (slot.tensor.data != nullptr) slot.value = Value(constant.tensor);
  }
}

void Program::Trim() const noexcept {
  frames_.Clear();
  plans_.Clear();
  tails_.Clear();
  templates_.Clear();
  for (const auto& body : bodies_) body->Trim();
}

}  // namespace waybill::exec
