#include "memory/plan/part_solver.h"

#include <algorithm>
#include <utility>

namespace waybill::plan {
namespace {

// Parts with more pairs that meet, or more buffers alive over all steps, are left to greed.
constexpr size_t kMaxMeetings = size_t{1} << 20;
constexpr Strategy kStrategies[] = {
    {Choice::kLowest, Order::kContentionLife}, {Choice::kTightest, Order::kContentionLife},
    {Choice::kLowest, Order::kContentionArea}, {Choice::kTightest, Order::kContentionArea},
    {Choice::kLowest, Order::kLifetime},       {Choice::kTightest, Order::kLifetime},
    {Choice::kLowest, Order::kArea},           {Choice::kTightest, Order::kContention},
};
// Work of a search before it is the next one's turn; twice as much in each further round of turns.
constexpr uint64_t kTurn = uint64_t{1} << 17;

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
  if (steady_.empty()) {
    meets_ = FindConflicts(part_);
    for (const Strategy& strategy : kStrategies) {
      steady_.emplace_back(part_, meets_, strategy);
      shaken_.emplace_back(part_, meets_, strategy);
    }
  }
  for (Search& search : steady_) search.Restart(capacity);
  uint64_t taken = 0;
  uint64_t shake = 0;
  for (uint64_t turn = kTurn; taken < work; turn *= 2) {
    for (size_t i = 0; i < steady_.size(); ++i) {
      shaken_[i].Restart(capacity, ++shake);
      for (Search* search : {&steady_[i], &shaken_[i]}) {
        if (taken >= work || stop()) return Outcome::kUndecided;
        const uint64_t before = search->work();
        const Outcome outcome = search->Continue(std::min(turn, work - taken));
        taken += search->work() - before;
        spent += search->work() - before;
        if (outcome == Outcome::kFound) Keep(search->offsets());
        if (outcome != Outcome::kUndecided) return outcome;
      }
    }
  }
  return Outcome::kUndecided;
}

void PartSolver::WriteTo(std::vector<size_t>& offsets) const {
  for (size_t i = 0; i < offsets_.size(); ++i) offsets[part_.items[i].index] = offsets_[i];
}

}  // namespace waybill::plan
