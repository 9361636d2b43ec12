#include "memory/plan/greedy.h"

#include <algorithm>
#include <optional>

#include "base/math/checked.h"
#include "memory/plan/lifetime.h"
#include "memory/plan/orders.h"
#include "memory/plan/problem.h"

namespace waybill::plan {
namespace {

enum class Fit : uint8_t { kFirst, kBest };

// Above this many meeting pairs the pairs are not listed; each buffer then looks at all before it.
constexpr size_t kMaxListedConflicts = size_t{4} << 20;
// Looks at neighbours after which no further order, or no further local move, is tried.
constexpr size_t kPortfolioWork = size_t{8} << 20;
constexpr size_t kLocalMoveWork = size_t{256} << 10;
constexpr int kMaxLocalMoves = 64;

struct Range {
  size_t begin = 0;
  size_t end = 0;
};

// Puts items down one after another, each into a gap between those that it meets.
class Placer {
 public:
  explicit Placer(const Problem& problem) : problem_(problem) {
    const size_t count = CountConflicts(problem, kMaxListedConflicts);
    if (count < kMaxListedConflicts) conflicts_ = FindConflicts(problem);
    placed_.resize(problem.items.size());
    offsets_.resize(problem.items.size());
  }

  // The slab size of this order, or nothing as soon as it can not be below `below`.
  std::optional<size_t> Place(const std::vector<uint32_t>& order, Fit fit, size_t below) {
    std::fill(placed_.begin(), placed_.end(), false);
    by_offset_.clear();
    size_t slab = 0;
    for (const uint32_t item : order) {
      const size_t offset = FindGap(item, fit);
      const size_t end = offset + problem_.items[item].bytes;
      if (end >= below) return std::nullopt;
      offsets_[item] = offset;
      placed_[item] = true;
      if (!conflicts_) InsertByOffset(item);
      slab = std::max(slab, end);
    }
    return slab;
  }

  // Offsets per item of the last Place that gave a size.
  const std::vector<size_t>& offsets() const { return offsets_; }
  size_t work() const { return work_; }

 private:
  // Ranges of the placed items that `item` meets, ascending.
  void Gather(uint32_t item) {
    taken_.clear();
    if (conflicts_) {
      const auto neighbours = conflicts_->of(item);
      work_ += neighbours.size() + 1;
      for (const uint32_t other : neighbours) {
        if (placed_[other]) taken_.push_back(RangeOf(other));
      }
      std::sort(taken_.begin(), taken_.end(),
                [](const Range& a, const Range& b) { return a.begin < b.begin; });
      return;
    }
    work_ += by_offset_.size() + 1;
    for (const uint32_t other : by_offset_) {
      if (problem_.Meet(problem_.items[item], problem_.items[other])) {
        taken_.push_back(RangeOf(other));
      }
    }
  }

  size_t FindGap(uint32_t item, Fit fit) {
    Gather(item);
    const size_t bytes = problem_.items[item].bytes;
    const size_t align = problem_.items[item].align;
    size_t cursor = 0;
    size_t best = 0;
    size_t best_gap = SIZE_MAX;
    for (const Range& range : taken_) {
      const size_t start = AlignUp(cursor, align);
      if (range.begin >= start && range.begin - start >= bytes) {
        if (fit == Fit::kFirst) return start;
        if (range.begin - cursor < best_gap) {
          best_gap = range.begin - cursor;
          best = start;
        }
      }
      cursor = std::max(cursor, range.end);
    }
    return best_gap != SIZE_MAX ? best : AlignUp(cursor, align);
  }

  Range RangeOf(uint32_t item) const {
    return {offsets_[item], offsets_[item] + problem_.items[item].bytes};
  }

  void InsertByOffset(uint32_t item) {
    const auto at =
        std::lower_bound(by_offset_.begin(), by_offset_.end(), item,
                         [this](uint32_t a, uint32_t b) { return offsets_[a] < offsets_[b]; });
    by_offset_.insert(at, item);
  }

  const Problem& problem_;
  std::optional<Conflicts> conflicts_;
  std::vector<char> placed_;
  std::vector<size_t> offsets_;
  std::vector<uint32_t> by_offset_;  // placed items, only without listed conflicts
  std::vector<Range> taken_;
  size_t work_ = 0;
};

struct Best {
  std::vector<uint32_t> order;
  Fit fit = Fit::kFirst;
  std::vector<size_t> offsets;
  size_t slab = SIZE_MAX;
  bool moved = false;
};

void TryPortfolio(const Problem& problem, Placer& placer, Best& best) {
  for (int i = 0; i < kOrderCount; ++i) {
    const std::vector<uint32_t> order = MakeOrder(problem, static_cast<Order>(i));
    for (const Fit fit : {Fit::kFirst, Fit::kBest}) {
      if (const auto slab = placer.Place(order, fit, best.slab)) {
        best = {order, fit, placer.offsets(), *slab, false};
        if (best.slab == problem.bound) return;
      }
      if (placer.work() > kPortfolioWork) return;
    }
  }
}

// A topmost buffer is what a smaller slab has to get rid of: put one of them down earlier and see.
class LocalMoves {
 public:
  LocalMoves(const Problem& problem, Placer& placer, Best& best)
      : problem_(problem), placer_(placer), best_(best) {}

  void Run() {
    const size_t work_end = placer_.work() + kLocalMoveWork;
    for (int move = 0; move < kMaxLocalMoves; ++move) {
      if (best_.slab == problem_.bound || placer_.work() > work_end) return;
      Step();
    }
  }

 private:
  void Step() {
    const std::vector<size_t> tops = TopPositions();
    const size_t from = tops[Random(tops.size())];
    std::vector<uint32_t> order = best_.order;
    if (from == 0) return;
    const size_t to = Random(from);
    std::rotate(order.begin() + static_cast<ptrdiff_t>(to),
                order.begin() + static_cast<ptrdiff_t>(from),
                order.begin() + static_cast<ptrdiff_t>(from) + 1);
    // Equal results are taken too: they lead off plateaus.
    if (const auto slab = placer_.Place(order, best_.fit, best_.slab + 1)) {
      const bool lower = *slab < best_.slab;
      best_ = {std::move(order), best_.fit, placer_.offsets(), *slab, best_.moved || lower};
    }
  }

  std::vector<size_t> TopPositions() const {
    std::vector<size_t> tops;
    for (size_t position = 0; position < best_.order.size(); ++position) {
      const uint32_t item = best_.order[position];
      if (best_.offsets[item] + problem_.items[item].bytes == best_.slab) {
        tops.push_back(position);
      }
    }
    return tops;
  }

  // Same sequence every time: a plan must not differ from one run to the next.
  size_t Random(size_t below) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<size_t>(state_ % below);
  }

  const Problem& problem_;
  Placer& placer_;
  Best& best_;
  uint64_t state_ = 0x9E3779B97F4A7C15u;
};

}  // namespace

GreedyAnswer SolveGreedily(const Problem& problem) {
  GreedyAnswer answer;
  if (problem.items.empty()) return answer;
  Placer placer(problem);
  Best best;
  TryPortfolio(problem, placer, best);
  LocalMoves(problem, placer, best).Run();
  // Padding between mixed alignments can make stacking in the caller's order the better plan.
  answer.slab = Stack(problem, answer.offsets);
  if (best.slab < answer.slab) answer = {std::move(best.offsets), best.slab, best.moved};
  return answer;
}

Result<Placement> PlaceGreedy(std::span<const Lifetime> lives) {
  WB_ASSIGN_OR_RETURN(const Problem problem, MakeProblem(lives));
  const GreedyAnswer answer = SolveGreedily(problem);
  return MakePlacement(problem, answer.offsets, answer.slab);
}

}  // namespace waybill::plan
