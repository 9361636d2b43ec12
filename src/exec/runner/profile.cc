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

RunProfile::Times RunProfile::Now() const {
  const auto read = [](clockid_t clock) {
    timespec now = {};
    clock_gettime(clock, &now);
    return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
  };
  const int64_t wall_ns = read(CLOCK_MONOTONIC);
  return {cpu_clock_ ? read(CLOCK_THREAD_CPUTIME_ID) : wall_ns, wall_ns};
}

void RunProfile::Begin(const Program&, const Step& step, const Slot* slots) {
  StepTimes& times = steps_[&step];
  if (times.calls == 0) times.inputs = DescribeInputs(step, slots);
  open_.push_back({&step, {}, {}});
  open_.back().start = Now();
}

void RunProfile::End(const Program&, const Step&, const Slot*) {
  const Times now = Now();
  const Open open = open_.back();
  open_.pop_back();
  const Times all = now - open.start;
  if (!open_.empty()) {
    open_.back().inner.own_ns += all.own_ns;
    open_.back().inner.wall_ns += all.wall_ns;
  }
  const Times own = all - open.inner;
  StepTimes& times = steps_[open.step];
  times.least_ns = times.calls == 0 ? own.wall_ns : std::min(times.least_ns, own.wall_ns);
  times.total_ns += own.own_ns;
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
