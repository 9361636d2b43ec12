#include "exec/runner/profile.h"

#include <algorithm>
#include <ctime>

namespace waybill::exec {

namespace {

std::string DescribeInputs(const Step& step, const Slot* slots) {
  std::string text;
  for (const SlotId slot : step.inputs) {
    if (!text.empty()) text += ", ";
    if (slot == kNoSlot) {
      text += "-";
    } else if (slots[slot].tensor.dtype != DType::kUndefined) {
      text += slots[slot].tensor.Describe();
    } else {
      text += slots[slot].value.type().ToString();
    }
  }
  return text;
}

}  // namespace

int64_t RunProfile::NowNs() const {
  timespec now = {};
  clock_gettime(cpu_clock_ ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void RunProfile::Begin(const Program&, const Step& step, const Slot* slots) {
  StepTimes& times = steps_[&step];
  if (times.calls == 0) times.inputs = DescribeInputs(step, slots);
  open_.push_back({&step, 0, 0});
  open_.back().start_ns = NowNs();
}

void RunProfile::End(const Program&, const Step&, const Slot*) {
  const int64_t now = NowNs();
  const Open open = open_.back();
  open_.pop_back();
  const int64_t all_ns = now - open.start_ns;
  if (!open_.empty()) open_.back().inner_ns += all_ns;
  StepTimes& times = steps_[open.step];
  const int64_t own_ns = all_ns - open.inner_ns;
  times.least_ns = times.calls == 0 ? own_ns : std::min(times.least_ns, own_ns);
  times.total_ns += own_ns;
  ++times.calls;
}

void RunProfile::Add(const RunProfile& other) {
  for (const auto& [step, times] : other.steps_) {
    StepTimes& mine = steps_[step];
    mine.least_ns = mine.calls == 0 ? times.least_ns : std::min(mine.least_ns, times.least_ns);
    if (mine.calls == 0) mine.inputs = times.inputs;
    mine.calls += times.calls;
    mine.total_ns += times.total_ns;
  }
}

}  // namespace waybill::exec
