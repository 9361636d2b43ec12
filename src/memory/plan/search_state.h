// What the search knows about buffers that are not placed yet, and the conclusions it draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/plan/problem.h"

namespace waybill::plan {

// Lower bounds of offsets in one part, under the decisions taken so far.
//
// The search looks for one placement only, if there is any within the capacity: one with the least
// sum of offsets. In it no buffer could lie lower while all others stay. So if a buffer that could
// be at offset o is not there, some buffer that it meets is in the way and begins below
// o + bytes: it is blocked. Buffers of equal size and lifetime lie in the order of their numbers.
//
// Not thread-safe. Items are those of the part, which must outlive the state.
class SearchState {
 public:
  struct Steps {  // closed interval
    uint32_t first = 0;
    uint32_t last = 0;
  };

  SearchState(const Problem& part, const Conflicts& meets);
  SearchState(const SearchState&) = delete;  // points into itself
  SearchState& operator=(const SearchState&) = delete;

  // Forgets all decisions. Returns false when nothing fits into `capacity`, as all calls below that
  // return a bool: then the decisions so far contradict each other and have to be undone.
  bool Reset(size_t capacity);

  // Puts `item` at its lowest offset. No unplaced item that it meets may have a lower one.
  // `steps`: those of the component that is being placed.
  bool Place(uint32_t item, Steps steps);
  // Decides that `item` will not be at its lowest offset. Same condition as Place.
  bool Delay(uint32_t item, Steps steps);

  // A point in time to which Undo leads back.
  size_t mark() const { return trail_.size(); }
  void Undo(size_t mark);

  bool placed(uint32_t item) const { return left_[item] == 0; }
  size_t lowest(uint32_t item) const { return low_[item]; }
  // At least what the buffers of a step need in all; 0 when all are placed.
  size_t step_need(uint32_t step) const { return need_[step]; }
  // The items alive at a step that are not placed, in no particular order.
  std::span<const uint32_t> unplaced(uint32_t step) const {
    return std::span(alive_).subspan(alive_begin_[step], unplaced_[step]);
  }
  // The unplaced items that begin in `steps`, in the order of their numbers:
  // for (uint32_t i = begin(steps); i < end(steps); i = next(i)).
  uint32_t begin(Steps steps) const {
    uint32_t item = first_item_[steps.first];
    while (item < items_ && placed(item)) item = next(item);
    return item;
  }
  uint32_t end(Steps steps) const { return first_item_[steps.last + 1]; }
  uint32_t next(uint32_t item) const { return static_cast<uint32_t>(next_[item]); }
  // Offsets of all placed items.
  const std::vector<size_t>& offsets() const { return offsets_; }
  // Elementary steps so far, each a few nanoseconds.
  uint64_t work() const { return work_; }

 private:
  struct Change {
    size_t slot = 0;  // in values_
    size_t old = 0;
  };

  void Set(size_t* value, size_t now);
  bool Raise(uint32_t item, size_t offset);
  bool FindBlocker(uint32_t item);
  bool IsBlocker(uint32_t item, uint32_t other) const;
  bool Conclude(Steps steps);
  bool CheckSteps();
  bool CheckStep(uint32_t step);
  void Touch(uint32_t first, uint32_t last);

  const Problem& part_;
  const Conflicts& meets_;
  const uint32_t items_;
  size_t capacity_ = 0;
  std::vector<size_t> values_;  // all that Undo brings back:
  size_t* low_;                 // per item: lowest offset
  size_t* left_;                // per item: its bytes, 0 once placed
  size_t* below_;  // per item: a blocker has to begin below this and has not been placed; 0: none
  size_t* next_;   // per item: the next unplaced one, in a ring with items_ before the first
  size_t* previous_;
  size_t* need_;      // per step
  size_t* unplaced_;  // per step: how many there are, the first ones of alive(step)
  std::vector<Change> trail_;
  std::vector<uint32_t> blocker_;  // per item: one that can be its blocker, looked at first
  std::vector<uint32_t> next_twin_;
  std::vector<uint32_t> first_item_;
  std::vector<uint32_t> alive_begin_;
  std::vector<uint32_t> alive_;
  std::vector<size_t> offsets_;
  Steps touched_;         // steps whose needs may have grown; none if first > last
  uint32_t suspect_ = 0;  // step that failed last
  uint64_t work_ = 0;
};

}  // namespace waybill::plan
