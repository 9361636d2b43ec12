#include "exec/runner/control/control.h"
#include "exec/runner/dynamic.h"

namespace waybill::exec {

Status RunSequenceMap(const Program& program, const Step& step, const RunEnv& env, Frame& frame) {
  const Program& body = program.body(step.bodies[0]);
  if (step.inputs.empty() || body.inputs().size() != step.inputs.size() ||
      body.outputs().size() != step.outputs.size()) {
    return Error(Code::kInvalidGraph, "the body has {} inputs and {} outputs, the node {} and {}",
                 body.inputs().size(), body.outputs().size(), step.inputs.size(),
                 step.outputs.size());
  }
  std::vector<const SequenceValue*> sequences(step.inputs.size(), nullptr);
  std::vector<Slot> in(step.inputs.size());
  for (size_t i = 0; i < in.size(); ++i) {
    if (step.inputs[i] == kNoSlot) return Error(Code::kInvalidGraph, "input {} is omitted", i);
    const Slot& slot = frame.slots[step.inputs[i]];
    sequences[i] = slot.value.sequence();
    if (sequences[i] == nullptr) in[i] = slot;
    if (i == 0 && sequences[0] == nullptr) {
      return Error(Code::kInvalidArgument, "the first input must be a sequence");
    }
    if (sequences[i] != nullptr && sequences[i]->items.size() != sequences[0]->items.size()) {
      return Error(Code::kInvalidArgument, "input {} has {} items, the first has {}", i,
                   sequences[i]->items.size(), sequences[0]->items.size());
    }
  }
  std::vector<SequenceValue> results(step.outputs.size());
  for (size_t k = 0; k < results.size(); ++k) {
    results[k].element = body.value_of(body.outputs()[k]).type;
  }
  for (size_t item = 0; item < sequences[0]->items.size(); ++item) {
    for (size_t i = 0; i < in.size(); ++i) {
      if (sequences[i] != nullptr) in[i] = SlotOf(sequences[i]->items[item]);
    }
    std::vector<Value> out(results.size());
    WB_RETURN_IF_ERROR(RunBody(body, env, in, frame.slots.data(), out), "item {}", item);
    for (size_t k = 0; k < out.size(); ++k) results[k].items.push_back(std::move(out[k]));
  }
  for (size_t k = 0; k < results.size(); ++k) {
    SetSlot(frame, step.outputs[k], Value(std::move(results[k])));
  }
  return Status::Ok();
}

}  // namespace waybill::exec
