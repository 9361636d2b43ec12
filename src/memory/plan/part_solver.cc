#include "memory/plan/part_solver.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace waybill::plan {
namespace {

// Parts with more pairs that meet, or more buffers alive over all steps, are left to greed.
constexpr size_t kMaxMeetings = size_t{1} << 17;
constexpr Strategy kStrategies[] = {
    {Choice::kLowest, Order::kContentionLife}, {Choice::kTightest, Order::kContentionLife},
    {Choice::kLowest, Order::kContentionArea}, {Choice::kTightest, Order::kContentionArea},
    {Choice::kLowest, Order::kLifetime},       {Choice::kTightest, Order::kLifetime},
    {Choice::kLowest, Order::kArea},           {Choice::kTightest, Order::kContention},
};
// Work of a search before it is the next one's turn, for each pair of buffers that meet: enough to
// place all of them once. Twice as much in each further round of turns.
constexpr uint64_t kTurnPerPair = 96;

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

// Every strategy's steady search has its seat, then their shaken ones.
Outcome PartSolver::TakeTurn(uint64_t turn, size_t capacity, uint64_t& work_left) {
  const size_t seats = searches_.size();
  const size_t strategies = std::size(kStrategies);
  const size_t seat = turn % seats;
  std::unique_ptr<Search>& search = searches_[seat];
  if (!search) search = std::make_unique<Search>(part_, meets_, kStrategies[seat % strategies]);
  const uint64_t before = search->work();
  if (seat >= strategies) {
    search->Restart(capacity, ++shake_);
  } else if (turn == seat) {
    search->Restart(capacity);
  }
  const uint64_t doublings = std::min<uint64_t>(turn / seats, 20);
  const uint64_t work = (kTurnPerPair * (meets_.list.size() / 2 + 1)) << doublings;
  const Outcome outcome = search->Continue(std::min(work, work_left));
  work_left -= std::min(work_left, search->work() - before);
  if (outcome == Outcome::kFound) Keep(search->offsets());
  return outcome;
}

Outcome PartSolver::Try(size_t capacity, uint64_t turns, uint64_t& work_left,
                        const std::function<bool()>& stop) {
  if (!searchable_) return Outcome::kUndecided;
  if (capacity < part_.bound) return Outcome::kImpossible;
  if (searches_.empty()) {
    meets_ = FindConflicts(part_);
    searches_.resize(2 * std::size(kStrategies));
  }
  for (uint64_t turn = 0; turn < turns && work_left > 0 && !stop(); ++turn) {
    const Outcome outcome = TakeTurn(turn, capacity, work_left);
    if (outcome != Outcome::kUndecided) return outcome;
  }
  return Outcome::kUndecided;
}

void PartSolver::WriteTo(std::vector<size_t>& offsets) const {
  for (size_t i = 0; i < offsets_.size(); ++i) offsets[part_.items[i].index] = offsets_[i];
}

}  // namespace waybill::plan
