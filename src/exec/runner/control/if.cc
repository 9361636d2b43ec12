#include "exec/runner/control/control.h"
#include "exec/runner/dynamic.h"

namespace waybill::exec {

Status RunIf(const Program& program, const Step& step, const RunEnv& env, Frame& frame) {
  WB_ASSIGN_OR_RETURN(const bool condition, ReadBool(frame.slots[step.inputs[0]], "the condition"));
  const Program& branch = program.body(step.bodies[condition ? 0 : 1]);
  std::vector<Value> results(branch.outputs().size());
  if (results.size() != step.outputs.size()) {
    return Error(Code::kInvalidGraph, "the {} branch has {} outputs, the node {}",
                 condition ? "then" : "else", results.size(), step.outputs.size());
  }
  WB_RETURN_IF_ERROR(RunBody(branch, env, {}, frame.slots.data(), results), "in the {} branch",
                     condition ? "then" : "else");
  for (size_t i = 0; i < results.size(); ++i)
    SetSlot(frame, step.outputs[i], std::move(results[i]));
  return Status::Ok();
}

}  // namespace waybill::exec
