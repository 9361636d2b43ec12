#include "memory/plan/around.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/math/checked.h"

namespace waybill::plan {
namespace {

struct Placed {
  uint32_t first, last;
  size_t begin, end;
};

// Puts buffers down one after another, each at the lowest gap between those that it meets.
class AroundPlacer {
 public:
  AroundPlacer(std::span<const Lifetime> fixed, std::span<const size_t> offsets) {
    for (size_t i = 0; i < fixed.size(); ++i) Add(fixed[i], offsets[i]);
    num_fixed_ = placed_.size();
  }

  std::optional<Placement> Place(std::span<const Lifetime> lives, std::span<const size_t> order,
                                 size_t capacity) {
    placed_.resize(num_fixed_);
    Placement placement;
    placement.offsets.assign(lives.size(), 0);
    for (const size_t i : order) {
      const Lifetime& life = lives[i];
      if (life.bytes == 0) continue;
      const size_t offset = FindGap(life);
      if (offset > capacity || AlignUp(life.bytes, life.align) > capacity - offset) {
        return std::nullopt;
      }
      placement.offsets[i] = offset;
      Add(life, offset);
      placement.slab_bytes = std::max(placement.slab_bytes, placed_.back().end);
    }
    return placement;
  }

 private:
  void Add(const Lifetime& life, size_t offset) {
    if (life.bytes == 0) return;
    placed_.push_back(
        {life.first_step, life.last_step, offset, AlignUp(offset + life.bytes, life.align)});
  }

  size_t FindGap(const Lifetime& life) {
    met_.clear();
    for (const Placed& other : placed_) {
      if (other.first <= life.last_step && life.first_step <= other.last) met_.push_back(other);
    }
    std::sort(met_.begin(), met_.end(),
              [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    const size_t bytes = AlignUp(life.bytes, life.align);
    size_t cursor = 0;
    for (const Placed& other : met_) {
      const size_t start = AlignUp(cursor, life.align);
      if (other.begin >= start && other.begin - start >= bytes) return start;
      cursor = std::max(cursor, other.end);
    }
    return AlignUp(cursor, life.align);
  }

  std::vector<Placed> placed_, met_;
  size_t num_fixed_ = 0;
};

}  // namespace

Result<std::optional<Placement>> PlaceAround(std::span<const Lifetime> lives,
                                             std::span<const Lifetime> fixed,
                                             std::span<const size_t> fixed_offsets,
                                             size_t capacity) {
  WB_ASSIGN_OR_RETURN(const size_t bound, LowerBound(lives));
  std::optional<Placement> best;
  if (bound > capacity) return best;
  AroundPlacer placer(fixed, fixed_offsets);
  std::vector<size_t> order(lives.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto attempt = [&](auto before) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return before(lives[a], lives[b]); });
    auto answer = placer.Place(lives, order, capacity);
    if (answer && (!best || answer->slab_bytes < best->slab_bytes)) best = std::move(answer);
  };
  attempt([](const Lifetime& a, const Lifetime& b) { return a.bytes > b.bytes; });
  attempt([](const Lifetime& a, const Lifetime& b) { return a.first_step < b.first_step; });
  attempt([](const Lifetime& a, const Lifetime& b) {
    return a.last_step - a.first_step > b.last_step - b.first_step;
  });
  return best;
}

}  // namespace waybill::plan
