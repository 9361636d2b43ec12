#include "session/report/peak.h"

#include <algorithm>

#include "base/math/checked.h"

namespace waybill::session {
namespace {

size_t RoundedBytes(const exec::PlannedBuffer& buffer) {
  return AlignUp(buffer.life.bytes, buffer.life.align);
}

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
    alive.role = Role::kScratch;
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

std::string StepText(const exec::Program& program, uint32_t step) {
  return Format("step {}, {}", step, program.steps()[step].node->Describe());
}

// Values that only wait: another order of the steps might let them come later or go earlier.
void AddWaiting(const exec::Program& program, Peak& peak) {
  size_t count = 0, bytes = 0;
  const AliveBuffer* largest = nullptr;
  for (const AliveBuffer& alive : peak.alive) {
    if (alive.role != Role::kWaiting) continue;
    if (largest == nullptr) largest = &alive;
    ++count;
    bytes += RoundedBytes(*alive.buffer);
  }
  if (largest == nullptr) return;
  std::string text =
      Format("{} values wait over this step; the largest, '{}', was written by {}", count,
             largest->buffer->name, StepText(program, largest->buffer->life.first_step));
  if (largest->next_reader) {
    text += Format(", and is read next by {}", StepText(program, *largest->next_reader));
  }
  text += ": reading them before this step, or computing them after it, lowers the peak";
  peak.remedies.push_back({"waiting", bytes, std::move(text)});
}

// An input that dies here beside an output of its size.
void AddInPlace(Peak& peak) {
  for (const AliveBuffer& written : peak.alive) {
    if (written.role != Role::kWritten) continue;
    for (const AliveBuffer& read : peak.alive) {
      if (read.role != Role::kRead || read.next_reader ||
          RoundedBytes(*read.buffer) != RoundedBytes(*written.buffer)) {
        continue;
      }
      peak.remedies.push_back(
          {"in place", RoundedBytes(*read.buffer),
           Format("'{}' is read here for the last time and '{}' is as large: a kernel that writes "
                  "in place needs only one of them",
                  read.buffer->name, written.buffer->name)});
      return;
    }
  }
}

size_t Sum(const Peak& peak, std::initializer_list<Role> roles) {
  size_t bytes = 0;
  for (const AliveBuffer& alive : peak.alive) {
    if (std::find(roles.begin(), roles.end(), alive.role) != roles.end()) {
      bytes += RoundedBytes(*alive.buffer);
    }
  }
  return bytes;
}

void AddRemedies(const exec::Program& program, const exec::Plan& plan, Peak& peak) {
  AddWaiting(program, peak);
  AddInPlace(peak);
  if (const size_t scratch = Sum(peak, {Role::kScratch}); scratch != 0) {
    peak.remedies.push_back(
        {"scratch", scratch,
         "scratch of the node itself: where each thread has a part, fewer threads need less"});
  }
  if (const size_t own = Sum(peak, {Role::kRead, Role::kWritten}); own != 0) {
    peak.remedies.push_back(
        {"node", own,
         "inputs and outputs of the node itself: they are there in every order of the steps; only "
         "smaller shapes make them smaller"});
  }
  const exec::PlanFigures& figures = plan.figures;
  if (figures.slab_bytes > figures.bound_bytes) {
    peak.remedies.push_back({"placement", figures.slab_bytes - figures.bound_bytes,
                             "planned above the bound: gaps that no placement found could fill"});
  }
  std::stable_sort(peak.remedies.begin(), peak.remedies.end(),
                   [](const Remedy& a, const Remedy& b) { return a.bytes > b.bytes; });
}

}  // namespace

std::string_view RoleName(Role role) {
  constexpr std::string_view kNames[] = {"read", "written", "scratch", "waiting"};
  return kNames[static_cast<size_t>(role)];
}

std::vector<size_t> LiveBytes(const exec::Plan& plan) {
  std::vector<size_t> bytes(plan.steps.size());
  for (const exec::PlannedBuffer& buffer : plan.buffers) {
    for (uint32_t step = buffer.life.first_step; step <= buffer.life.last_step; ++step) {
      bytes[step] += RoundedBytes(buffer);
    }
  }
  return bytes;
}

Peak FindPeak(const exec::Program& program, const exec::Plan& plan) {
  Peak peak;
  const std::vector<size_t> live = LiveBytes(plan);
  if (live.empty()) return peak;
  const auto fullest = std::max_element(live.begin(), live.end());
  peak.step = static_cast<uint32_t>(fullest - live.begin());
  peak.bytes = *fullest;
  const Places places(program, plan);
  for (const exec::PlannedBuffer& buffer : plan.buffers) {
    if (IsAlive(buffer, peak.step)) peak.alive.push_back(Look(places, buffer, peak.step));
  }
  std::stable_sort(peak.alive.begin(), peak.alive.end(),
                   [](const AliveBuffer& a, const AliveBuffer& b) {
                     return a.buffer->life.bytes > b.buffer->life.bytes;
                   });
  if (peak.bytes != 0) AddRemedies(program, plan, peak);
  return peak;
}

}  // namespace waybill::session
