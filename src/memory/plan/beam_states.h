// Sets of steps of a cell that may have been done, as a beam holds them: side by side in few
// blocks. For order_beam alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/plan/order_cell.h"

namespace waybill::plan {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct BeamState {
  size_t live = 0, peak = 0;
  uint64_t hash = 0;        // of the set
  uint32_t node = kNoNode;  // how it came about, as the beam counts
};

// A step all of whose needs are done, and what it adds to what is alive. Other steps change that
// only where they touch the same storages, so it goes from set to set.
struct ReadyStep {
  uint32_t step = 0;
  bool is_known = false;         // whether the next two are
  int64_t during = 0, live = 0;  // bytes, from those alive before it
};

class BeamStates {
 public:
  explicit BeamStates(const OrderCell& cell);

  size_t size() const { return states_.size(); }
  const BeamState& operator[](size_t i) const { return states_[i]; }
  // In the given order.
  std::span<ReadyStep> ReadyOf(size_t i) {
    return std::span(ready_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }
  OrderCell::Effect EffectOf(size_t i, ReadyStep& ready) const;
  // Elementary steps that finding out an effect takes, and that taking over the latest state did.
  uint64_t WorkOf(uint32_t step) const { return work_[step]; }
  uint64_t WorkOfLatest() const { return words_ + begins_.back() - begins_[begins_.size() - 2]; }

  void Clear();
  // The empty set alone.
  void Start(size_t peak);
  // State `from` of `others`, of the same cell, and `step`, which is ready there.
  void Add(const BeamStates& others, size_t from, uint32_t step, const BeamState& state);

 private:
  bool Did(const uint64_t* done, uint32_t step) const {
    return (done[step / 64] >> (step % 64) & 1) != 0;
  }
  // Of steps that touch what `step` touches the effects are not known any more.
  void MarkAround(uint32_t step);

  const OrderCell* cell_;
  size_t words_;                // of a set of steps
  std::vector<uint64_t> work_;  // by step
  std::vector<BeamState> states_;
  std::vector<uint64_t> done_;  // words_ for each state, a bit for each step
  std::vector<size_t> begins_;  // in ready_, and the end
  std::vector<ReadyStep> ready_;
  std::vector<uint32_t> marked_;  // by step: the latest mark
  uint32_t mark_ = 0;
};

}  // namespace waybill::plan
