// Where the time of runs goes, step by step. A run without a profile reads no clock.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/runner/watcher.h"

namespace waybill::exec {

// What one run, or many added up, spent in one step. A step with bodies does not count the time of
// the steps in them.
struct StepTimes {
  uint64_t calls = 0;
  int64_t total_ns = 0;
  // Of one call, by the wall clock: over many calls some are disturbed by nothing, and CPU clocks
  // of virtual machines jump now and then, which a least value would keep.
  int64_t least_ns = 0;
  std::string inputs;  // of the first call: "float [1, 3], int64 [2]"
};

// Filled by one run, on its thread.
class RunProfile final : public StepWatcher {
 public:
  // `cpu_clock`: totals are CPU time of the run's own thread, for runs that use no other; else wall
  // time.
  explicit RunProfile(bool cpu_clock) : cpu_clock_(cpu_clock) {}

  void Begin(const Program& program, const Step& step, const Slot* slots) override;
  void End(const Program& program, const Step& step, const Slot* slots) override;

  // Adds the figures of another profile.
  void Add(const RunProfile& other);

  const std::unordered_map<const Step*, StepTimes>& steps() const { return steps_; }

 private:
  struct Times {
    int64_t own_ns = 0, wall_ns = 0;

    Times operator-(const Times& other) const {
      return {own_ns - other.own_ns, wall_ns - other.wall_ns};
    }
  };
  struct Open {
    const Step* step;
    Times start;
    Times inner;  // of steps in bodies
  };

  Times Now() const;

  bool cpu_clock_;
  std::vector<Open> open_;
  std::unordered_map<const Step*, StepTimes> steps_;
};

}  // namespace waybill::exec
