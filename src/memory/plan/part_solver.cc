#include "memory/plan/part_solver.h"

#include <algorithm>
#include <utility>

namespace waybill::plan {
namespace {

// Parts with more pairs that meet, or more buffers alive over all steps, are left to greed.
constexpr size_t kMaxMeetings = size_t{1} << 20;
constexpr Strategy kStrategies[] = {
    {Choice::kTightest, Order::kLifetime},       {Choice::kLowest, Order::kLifetime},
    {Choice::kTightest, Order::kContentionArea}, {Choice::kLowest, Order::kContentionArea},
    {Choice::kTightest, Order::kContentionLife}, {Choice::kLowest, Order::kContentionLife},
};
// Work of one strategy before it is the next one's turn.
constexpr uint64_t kTurn = uint64_t{1} << 18;

bool IsSearchable(const Problem& part) {
  size_t alive = 0;
  for (const Item& item : part.items) alive += item.last - item.first + 1;
  return alive < kMaxMeetings && CountConflicts(part, kMaxMeetings) < kMaxMeetings;
}

}  // namespace

PartSolver::PartSolver(Problem part, const std::vector<size_t>& offsets)
    : part_(std::move(part)), searchable_(IsSearchable(part_)) {
  std::vector<size_t> own;
  own.reserve(part_.items.size());
  for (const Item& item : part_.items) own.push_back(offsets[item.index]);
  Keep(own);
}

void PartSolver::Keep(const std::vector<size_t>& offsets) {
  offsets_ = offsets;
  slab_ = 0;
  for (size_t i = 0; i < offsets_.size(); ++i) {
    slab_ = std::max(slab_, offsets_[i] + part_.items[i].bytes);
  }
}

Outcome PartSolver::Try(size_t capacity, uint64_t work, uint64_t& spent,
                        const std::function<bool()>& stop) {
  if (!searchable_) return Outcome::kUndecided;
  if (capacity < part_.bound) return Outcome::kImpossible;
  if (searches_.empty()) {
    meets_ = FindConflicts(part_);
    for (const Strategy& strategy : kStrategies) searches_.emplace_back(part_, meets_, strategy);
  }
  for (Search& search : searches_) search.Restart(capacity);
  uint64_t taken = 0;
  while (taken < work) {
    for (Search& search : searches_) {
      if (stop()) return Outcome::kUndecided;
      const uint64_t before = search.work();
      const Outcome outcome = search.Continue(std::min(kTurn, work));
      taken += search.work() - before;
      spent += search.work() - before;
      if (outcome == Outcome::kFound) Keep(search.offsets());
      if (outcome != Outcome::kUndecided) return outcome;
    }
  }
  return Outcome::kUndecided;
}

void PartSolver::WriteTo(std::vector<size_t>& offsets) const {
  for (size_t i = 0; i < offsets_.size(); ++i) offsets[part_.items[i].index] = offsets_[i];
}

}  // namespace waybill::plan
