#include "memory/plan/part_solver.h"

#include <algorithm>
#include <iterator>
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

void PartSolver::Prepare() {
  if (!steady_.empty()) return;
  meets_ = FindConflicts(part_);
  for (const Strategy& strategy : kStrategies) {
    steady_.emplace_back(part_, meets_, strategy);
    shaken_.emplace_back(part_, meets_, strategy);
  }
}

Outcome PartSolver::Try(size_t capacity, uint64_t turns, uint64_t& work_left,
                        const std::function<bool()>& stop) {
  if (!searchable_) return Outcome::kUndecided;
  if (capacity < part_.bound) return Outcome::kImpossible;
  Prepare();
  for (Search& search : steady_) search.Restart(capacity);
  uint64_t turn_work = kTurnPerPair * (meets_.list.size() / 2 + 1);
  for (uint64_t turn = 0; turn < turns; ++turn) {
    if (work_left == 0 || stop()) return Outcome::kUndecided;
    const size_t seat = turn % (2 * std::size(kStrategies));
    if (turn > 0 && seat == 0) turn_work *= 2;
    const bool steady = seat < steady_.size();
    Search& search = steady ? steady_[seat] : shaken_[seat - steady_.size()];
    const uint64_t before = search.work();
    if (!steady) search.Restart(capacity, ++shake_);
    const Outcome outcome = search.Continue(std::min(turn_work, work_left));
    work_left -= std::min(work_left, search.work() - before);
    if (outcome == Outcome::kFound) Keep(search.offsets());
    if (outcome != Outcome::kUndecided) return outcome;
  }
  return Outcome::kUndecided;
}

void PartSolver::WriteTo(std::vector<size_t>& offsets) const {
  for (size_t i = 0; i < offsets_.size(); ++i) offsets[part_.items[i].index] = offsets_[i];
}

}  // namespace waybill::plan
