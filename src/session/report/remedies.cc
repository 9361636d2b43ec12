#include "session/report/remedies.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace waybill::session {
namespace {

constexpr std::string_view kPlacement = "placement";

std::string StepText(const exec::Program& program, uint32_t step) {
  return Format("step {}, {}", step, program.steps()[step].node->Describe());
}

// Values that only wait: another order of the steps might let them come later or go earlier.
void AddWaiting(Peak& peak) {
  const exec::Program& program = *peak.program;
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

// What bytes that nothing but the step itself uses are there for.
std::string_view ScratchText(const exec::Step& step) {
  if (step.kind == exec::StepKind::kKernel) {
    return "scratch of the node itself: where each thread has a part, fewer threads need less";
  }
  return "kept beside the body: second places of carried values, and places of outputs that nobody "
         "reads";
}

size_t GapOf(const exec::PlanFigures& figures) {
  return figures.slab_bytes - std::min(figures.slab_bytes, figures.bound_bytes);
}

// Those of the body that runs at the peak, whose gaps are returned.
size_t TakeInside(Peak& peak) {
  if (peak.inside == nullptr) return 0;
  size_t gaps = 0;
  const graph::Node& node = *peak.program->steps()[peak.step].node;
  for (Remedy& remedy : peak.inside->remedies) {
    if (remedy.kind == kPlacement) gaps += remedy.bytes;
    remedy.text = Format("in the {} of {}: {}", peak.inside->body, node.Describe(), remedy.text);
    peak.remedies.push_back(std::move(remedy));
  }
  peak.inside->remedies.clear();
  return gaps;
}

}  // namespace

void AddRemedies(const exec::Plan& plan, Peak& peak) {
  AddWaiting(peak);
  AddInPlace(peak);
  if (const size_t scratch = Sum(peak, {Role::kScratch}); scratch != 0) {
    const exec::Step& step = peak.program->steps()[peak.step];
    peak.remedies.push_back({"scratch", scratch, std::string(ScratchText(step))});
  }
  if (const size_t own = Sum(peak, {Role::kRead, Role::kWritten}); own != 0) {
    peak.remedies.push_back(
        {"node", own,
         "inputs and outputs of the node itself: they are there in every order of the steps; only "
         "smaller shapes make them smaller"});
  }
  const size_t inside = TakeInside(peak), gaps = GapOf(plan.figures);
  if (gaps > inside) {
    peak.remedies.push_back({kPlacement, gaps - inside,
                             "planned above the bound: gaps that no placement found could fill"});
  }
  std::stable_sort(peak.remedies.begin(), peak.remedies.end(),
                   [](const Remedy& a, const Remedy& b) { return a.bytes > b.bytes; });
}

}  // namespace waybill::session
