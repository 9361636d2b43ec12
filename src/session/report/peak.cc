#include "session/report/peak.h"

#include <algorithm>
#include <tuple>

#include "exec/plan/control_plan.h"
#include "session/report/remedies.h"

namespace waybill::session {
namespace {

bool IsAlive(const exec::PlannedBuffer& buffer, uint32_t step) {
  return buffer.life.first_step <= step && step <= buffer.life.last_step && buffer.life.bytes != 0;
}

// Which slots of the program lie where in the slab.
class Places {
 public:
  Places(const exec::Program& program, const exec::Plan& plan)
      : program_(program), offsets_(program.slots().size()) {
    for (const exec::Binding& binding : plan.bindings) {
      if (binding.home == exec::Home::kSlab) offsets_[binding.slot] = binding.offset;
    }
  }

  // Whether the step reads, or writes, bytes of the buffer.
  bool Reads(uint32_t step, const exec::PlannedBuffer& buffer) const {
    const exec::Step& at = program_.steps()[step];
    return AnyIn(at.inputs, buffer) || AnyIn(at.captured, buffer);
  }
  bool Writes(uint32_t step, const exec::PlannedBuffer& buffer) const {
    return AnyIn(program_.steps()[step].outputs, buffer);
  }
  // Whether one of the slots' bytes is the buffer's, as long as the buffer is alive.
  bool AnyIn(const std::vector<exec::SlotId>& slots, const exec::PlannedBuffer& buffer) const {
    return std::any_of(slots.begin(), slots.end(), [&](exec::SlotId slot) {
      if (slot == exec::kNoSlot || !offsets_[slot]) return false;
      const exec::SlotInfo& info = program_.slots()[slot];
      return *offsets_[slot] >= buffer.offset &&
             *offsets_[slot] < buffer.offset + buffer.life.bytes &&
             info.producer >= buffer.life.first_step && info.producer <= buffer.life.last_step;
    });
  }

 private:
  const exec::Program& program_;
  std::vector<std::optional<size_t>> offsets_;  // by slot
};

AliveBuffer Look(const Places& places, const exec::PlannedBuffer& buffer, uint32_t step) {
  AliveBuffer alive{&buffer, Role::kWaiting, std::nullopt};
  if (buffer.is_scratch) {
    alive.role = buffer.bodies != nullptr ? Role::kBody : Role::kScratch;
    return alive;
  }
  if (places.Reads(step, buffer)) {
    alive.role = Role::kRead;
  } else if (places.Writes(step, buffer)) {
    alive.role = Role::kWritten;
  }
  for (uint32_t later = step + 1; later <= buffer.life.last_step; ++later) {
    if (!places.Reads(later, buffer)) continue;
    alive.next_reader = later;
    break;
  }
  return alive;
}

// Of the body that runs at the peak.
std::unique_ptr<Peak> LookInside(const exec::Program& program, const exec::Plan& plan,
                                 uint32_t at) {
  const exec::ControlPlan* control = plan.steps[at].control.get();
  if (control == nullptr) return nullptr;
  const exec::Step& step = program.steps()[at];
  const size_t body = exec::FullestBody(*control);
  auto inside =
      std::make_unique<Peak>(FindPeak(program.body(step.bodies[body]), *control->bodies[body]));
  if (inside->bytes == 0) return nullptr;
  inside->body = BodyName(step, body);
  return inside;
}

}  // namespace

std::string_view RoleName(Role role) {
  constexpr std::string_view kNames[] = {"read", "written", "scratch", "waiting", "body"};
  return kNames[static_cast<size_t>(role)];
}

std::string_view BodyName(const exec::Step& step, size_t body) {
  if (step.kind != exec::StepKind::kIf) return "body";
  return body == 0 ? "then branch" : "else branch";
}

Peak FindPeak(const exec::Program& program, const exec::Plan& plan) {
  Peak peak;
  peak.program = &program;
  if (plan.steps.empty()) return peak;
  std::tie(peak.step, peak.bytes) = exec::FullestStep(plan);
  const Places places(program, plan);
  for (const exec::PlannedBuffer& buffer : plan.buffers) {
    if (IsAlive(buffer, peak.step)) peak.alive.push_back(Look(places, buffer, peak.step));
  }
  std::stable_sort(peak.alive.begin(), peak.alive.end(),
                   [](const AliveBuffer& a, const AliveBuffer& b) {
                     return LeastBytes(*a.buffer) > LeastBytes(*b.buffer);
                   });
  peak.inside = LookInside(program, plan, peak.step);
  if (peak.bytes != 0) AddRemedies(plan, peak);
  return peak;
}

}  // namespace waybill::session
