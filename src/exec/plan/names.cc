#include "exec/plan/names.h"

#include <algorithm>

#include "base/text/format.h"

namespace waybill::exec {

std::string NameOf(const Program& program, const Step& step) {
  if (!step.node->name.empty()) return step.node->name;
  for (const SlotId slot : step.outputs) {
    if (slot == kNoSlot || program.value_of(slot).name.empty()) continue;
    return Format("the {} of '{}'", step.node->op_type, program.value_of(slot).name);
  }
  return Format("step {}, {}", &step - program.steps().data(), step.node->op_type);
}

std::string NameOf(const Program& program, SlotId slot) {
  const std::string& name = program.value_of(slot).name;
  const SlotInfo& info = program.slots()[slot];
  if (!name.empty() || info.origin != Origin::kStep) return name;
  const Step& step = program.steps()[info.producer];
  const auto at = std::find(step.outputs.begin(), step.outputs.end(), slot);
  return Format("output {} of {}", at - step.outputs.begin(), NameOf(program, step));
}

}  // namespace waybill::exec
