#include "memory/plan/place.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "memory/plan/greedy.h"
#include "memory/plan/part_solver.h"
#include "memory/plan/parts.h"
#include "memory/plan/problem.h"

namespace waybill::plan {
namespace {

// Turns of a part's searches for one capacity in the first round, and how many more in the next.
constexpr uint64_t kFirstTurns = 2;
constexpr uint64_t kMoreTurns = 16;
// Capacities are told apart to this share of the bound, unless all smaller ones are impossible.
constexpr size_t kResolution = 256;

// Every slab size is a multiple of this: offsets are sums of sizes, rounded up to alignments.
size_t Quantum(const Problem& problem) {
  size_t sizes = 0;
  size_t least = SIZE_MAX;
  size_t most = 1;
  for (const Item& item : problem.items) {
    sizes = std::gcd(sizes, item.bytes);
    least = std::min(least, item.align);
    most = std::max(most, item.align);
  }
  return sizes % most == 0 ? std::max(sizes, size_t{1}) : least;
}

size_t Enough(const Problem& problem, const SearchLimits& limits) {
  if (limits.enough_bytes == 0) return EnoughBytes(problem.bound);
  return std::max(limits.enough_bytes, problem.bound);
}

class CapacitySearch {
 public:
  CapacitySearch(const Problem& problem, const std::vector<size_t>& offsets,
                 const SearchLimits& limits)
      : limits_(limits),
        quantum_(Quantum(problem)),
        resolution_(std::max(quantum_, problem.bound / kResolution)),
        enough_(Enough(problem, limits)),
        least_(problem.bound),
        work_left_(limits.work) {
    for (Problem& part : CutAtLines(problem)) {
      parts_.emplace_back(std::move(part), offsets);
      if (!parts_.back().searchable()) floor_ = std::max(floor_, parts_.back().slab());
    }
  }

  void Run() {
    for (uint64_t turns = kFirstTurns; !Done(); turns += kMoreTurns) RunRound(turns);
  }

  size_t Slab() const {
    size_t slab = 0;
    for (const PartSolver& part : parts_) slab = std::max(slab, part.slab());
    return slab;
  }
  void WriteTo(std::vector<size_t>& offsets) const {
    for (const PartSolver& part : parts_) part.WriteTo(offsets);
  }
  bool optimal() const { return Slab() <= least_; }
  uint64_t work() const { return limits_.work - work_left_; }

 private:
  bool Late() const {
    return limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline;
  }
  bool Done() const {
    return Slab() <= std::max({enough_, least_, floor_}) || work_left_ == 0 || Late();
  }

  // Tries the least capacity, then what is enough, then halves what is between the highest failure
  // and the best answer.
  void RunRound(uint64_t turns) {
    size_t failed = 0;
    const auto attempt = [&](size_t capacity) {
      capacity = std::max({capacity / quantum_ * quantum_, least_, floor_});
      if (Done() || capacity <= failed || capacity >= Slab()) return;
      if (!Try(capacity, turns)) failed = capacity;
    };
    attempt(least_);
    attempt(enough_);
    while (!Done()) {
      const size_t low = std::max({failed, least_ - quantum_, floor_});
      const size_t step = low < least_ ? quantum_ : resolution_;
      if (Slab() <= low + step) return;
      const size_t middle = (Slab() - low) / 2 / quantum_ * quantum_;
      attempt(low + std::max(middle, quantum_));
    }
  }

  bool Try(size_t capacity, uint64_t turns) {
    for (PartSolver& part : parts_) {
      if (part.slab() <= capacity) continue;
      const Outcome outcome = part.Try(capacity, turns, work_left_, [this] { return Late(); });
      if (outcome == Outcome::kImpossible) least_ = capacity + quantum_;
      if (outcome != Outcome::kFound) return false;
    }
    return true;
  }

  const SearchLimits limits_;
  const size_t quantum_;
  const size_t resolution_;
  const size_t enough_;
  size_t least_;      // all smaller capacities are impossible
  size_t floor_ = 0;  // slab of the parts that can not be searched
  std::deque<PartSolver> parts_;
  uint64_t work_left_;
};

}  // namespace

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kPortfolio:
      return "portfolio";
    case Stage::kLocalMoves:
      return "local moves";
    case Stage::kSearch:
      return "search";
  }
  return "";
}

Result<BestPlacement> PlaceBest(std::span<const Lifetime> lives, const SearchLimits& limits) {
  WB_ASSIGN_OR_RETURN(const Problem problem, MakeProblem(lives));
  GreedyAnswer answer = SolveGreedily(problem);
  BestPlacement best;
  best.bound_bytes = problem.bound;
  best.stage = answer.moved ? Stage::kLocalMoves : Stage::kPortfolio;
  best.optimal = answer.slab == problem.bound;
  if (answer.slab > Enough(problem, limits)) {
    CapacitySearch search(problem, answer.offsets, limits);
    search.Run();
    best.optimal = search.optimal();
    best.search_work = search.work();
    if (search.Slab() < answer.slab) {
      answer.slab = search.Slab();
      search.WriteTo(answer.offsets);
      best.stage = Stage::kSearch;
    }
  }
  static_cast<Placement&>(best) = MakePlacement(problem, answer.offsets, answer.slab);
  return best;
}

}  // namespace waybill::plan
