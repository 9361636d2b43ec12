#include "exec/plan/fullest.h"

#include <algorithm>

#include "base/math/checked.h"
#include "base/text/format.h"

namespace waybill::exec {

namespace {

// The step that makes the output with the most bytes, of those whose sizes the plan knows.
std::string DescribeLargestOutput(const Program& program, const Plan& plan) {
  size_t largest = plan.outputs.size(), most = 0;
  for (size_t k = 0; k < plan.outputs.size(); ++k) {
    const OutputPlan& output = plan.outputs[k];
    if (output.mode == OutputMode::kDynamic) continue;
    const auto bytes = DTypeBytes(output.dtype, static_cast<size_t>(output.shape.elems()));
    if (bytes.value_or(SIZE_MAX) <= most) continue;
    largest = k;
    most = bytes.value_or(SIZE_MAX);
  }
  if (largest == plan.outputs.size()) return {};
  const SlotId slot = program.outputs()[largest];
  const SlotInfo& info = program.slots()[slot];
  std::string out =
      Format("the largest output is {} with {} bytes", program.value_of(slot).name, most);
  if (info.origin != Origin::kStep) return out;
  return out + Format(", of step {}, node {}", info.producer,
                      program.steps()[info.producer].node->Describe());
}

}  // namespace

size_t LeastBytes(const PlannedBuffer& buffer) {
  return buffer.bodies != nullptr ? buffer.bodies->Most(&PlanFigures::bound_bytes)
                                  : buffer.life.bytes;
}

size_t RoundedBytes(const PlannedBuffer& buffer) {
  return AlignUp(LeastBytes(buffer), buffer.life.align);
}

std::vector<size_t> LiveBytes(const Plan& plan) {
  std::vector<size_t> bytes(plan.steps.size());
  for (const PlannedBuffer& buffer : plan.buffers) {
    for (uint32_t step = buffer.life.first_step; step <= buffer.life.last_step; ++step) {
      bytes[step] += RoundedBytes(buffer);
    }
  }
  return bytes;
}

std::pair<uint32_t, size_t> FullestStep(const Plan& plan) {
  const std::vector<size_t> live = LiveBytes(plan);
  const auto fullest = std::max_element(live.begin(), live.end());
  return {static_cast<uint32_t>(fullest - live.begin()), *fullest};
}

size_t FullestBody(const ControlPlan& control) {
  size_t fullest = 0;
  for (size_t i = 0; i < control.bodies.size(); ++i) {
    const auto& body = control.bodies[i];
    const bool counts = body != nullptr &&
                        (control.bodies[fullest] == nullptr ||
                         body->figures.bound_bytes > control.bodies[fullest]->figures.bound_bytes);
    if (counts) fullest = i;
  }
  return fullest;
}

std::string DescribeFullest(const Program& program, const Plan& plan) {
  std::string out;
  const Program* from = &program;
  for (const Plan* at = &plan; at != nullptr && !at->steps.empty();) {
    const auto [number, bytes] = FullestStep(*at);
    if (bytes == 0) break;
    const Step& step = from->steps()[number];
    out += Format("{} at step {}, node {}, with {} bytes",
                  out.empty() ? "the plan is fullest" : ", in its body", number,
                  step.node->Describe(), bytes);
    const ControlPlan* control = at->steps[number].control.get();
    if (control == nullptr) break;
    const size_t body = FullestBody(*control);
    from = &from->body(step.bodies[body]);
    at = control->bodies[body].get();
  }
  return out.empty() ? DescribeLargestOutput(program, plan) : out;
}

}  // namespace waybill::exec
