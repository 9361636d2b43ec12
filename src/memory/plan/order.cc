#include "memory/plan/order.h"

#include <algorithm>
#include <numeric>

#include "base/math/checked.h"
#include "memory/plan/order_beam.h"
#include "memory/plan/order_walk.h"

namespace waybill::plan {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
// A wider beam is tried where a narrower one had to leave something out.
constexpr size_t kWidths[] = {32, 256};

Status Check(const OrderProblem& problem) {
  size_t total = 0;
  const auto add = [&](size_t bytes) {
    const auto sum = CheckedAdd(total, bytes);
    total = sum.value_or(0);
    return sum.has_value();
  };
  bool fits = true;
  for (const OrderStorage& storage : problem.storages) fits = fits && add(storage.bytes);
  for (uint32_t id = 0; id < problem.steps.size(); ++id) {
    const OrderStep& step = problem.steps[id];
    fits = fits && add(step.scratch_bytes);
    for (const uint32_t other : step.after) {
      if (other < id) continue;
      return Error(Code::kInvalidArgument, "step {} comes before step {}, which it needs", id,
                   other);
    }
    std::vector<uint32_t> touches = step.touches;
    std::sort(touches.begin(), touches.end());
    const bool once = std::adjacent_find(touches.begin(), touches.end()) == touches.end();
    if (!once || (!touches.empty() && touches.back() >= problem.storages.size())) {
      return Error(Code::kInvalidArgument,
                   "step {} touches a storage twice, or one of a number {} "
                   "of {}",
                   id, touches.back(), problem.storages.size());
    }
    for (const auto& [made, taken] : step.in_place) {
      if (std::binary_search(touches.begin(), touches.end(), made) &&
          std::binary_search(touches.begin(), touches.end(), taken) && made != taken) {
        continue;
      }
      return Error(Code::kInvalidArgument,
                   "step {} makes storage {} in place of {}, not touching "
                   "both",
                   id, made, taken);
    }
  }
  if (!fits) return Error(Code::kInvalidArgument, "the sizes of an order's storages overflow");
  return Status::Ok();
}

// Begins of the stretches of steps, and the end. A step is alone where all steps before it are
// needed by it and all behind it need it: then no other one could change its side.
std::vector<uint32_t> CutIntoCells(const OrderProblem& problem) {
  const auto count = static_cast<uint32_t>(problem.steps.size());
  // For each step: the latest that it needs + 1, and the earliest that needs it.
  std::vector<uint32_t> latest_need(count, 0), first_user(count, count);
  uint32_t fixed = 0;
  for (uint32_t id = 0; id < count; ++id) {
    latest_need[id] = fixed;
    for (const uint32_t other : problem.steps[id].after) {
      latest_need[id] = std::max(latest_need[id], other + 1);
      first_user[other] = std::min(first_user[other], id);
    }
    if (problem.steps[id].fixed) fixed = id + 1;
  }
  for (uint32_t id = count, next = count; id-- > 0;) {
    first_user[id] = std::min(first_user[id], next);
    if (problem.steps[id].fixed) next = id;
  }
  std::vector<uint32_t> least_need(count + 1, count);
  for (uint32_t id = count; id-- > 0;)
    least_need[id] = std::min(least_need[id + 1], latest_need[id]);
  std::vector<uint32_t> begins;
  uint32_t most_user = 0;
  bool cut = true;
  for (uint32_t id = 0; id < count; ++id) {
    const bool alone = problem.steps[id].fixed ||
                       (most_user <= id && (id + 1 == count || least_need[id + 1] > id));
    if (alone || cut) begins.push_back(id);
    cut = alone;
    most_user = std::max(most_user, first_user[id]);
  }
  begins.push_back(count);
  return begins;
}

class Orderer {
 public:
  Orderer(const OrderProblem& problem, const OrderLimits& limits)
      : problem_(problem), work_left_(limits.work), limit_(limits.work) {
    found_.order.resize(problem.steps.size());
    std::iota(found_.order.begin(), found_.order.end(), 0u);
  }

  FoundOrder Find() {
    Cut();
    while (SearchFullest()) {
    }
    const size_t peak = Peak();
    found_.bytes = found_.given_bytes;
    if (peak < below_) Adopt(peak);
    found_.work = limit_ - work_left_;
    return std::move(found_);
  }

 private:
  struct Cell {
    uint32_t begin = 0, end = 0;
    size_t given_peak = 0, peak = 0, live = 0;
    std::vector<uint32_t> order;  // empty: as given
    bool searched = false;
  };

  void Cut() {
    first_.assign(problem_.storages.size(), kNone);
    last_.assign(problem_.storages.size(), 0);
    for (uint32_t id = 0; id < problem_.steps.size(); ++id) {
      for (const uint32_t storage : problem_.steps[id].touches) {
        first_[storage] = std::min(first_[storage], id);
        last_[storage] = id;
      }
    }
    const std::vector<LiveBytes> given = WalkOrder(problem_, found_.order);
    const std::vector<uint32_t> begins = CutIntoCells(problem_);
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      Cell cell{begins[i],
                begins[i + 1],
                0,
                0,
                begins[i] == 0 ? 0 : given[begins[i] - 1].after,
                {},
                begins[i + 1] - begins[i] == 1};
      for (uint32_t id = cell.begin; id < cell.end; ++id) {
        cell.peak = std::max(cell.peak, given[id].during);
      }
      cell.given_peak = cell.peak;
      found_.given_bytes = std::max(found_.given_bytes, cell.peak);
      // A single step has no other order.
      if (cell.searched) found_.floor_bytes = std::max(found_.floor_bytes, cell.peak);
      cells_.push_back(std::move(cell));
    }
    const size_t least_gain = CeilDiv(found_.given_bytes, size_t{100}) * kLeastGainPercent;
    below_ = found_.given_bytes - std::min(least_gain, found_.given_bytes) + (least_gain != 0);
  }

  size_t Peak() const {
    size_t peak = 0;
    for (const Cell& cell : cells_) peak = std::max(peak, cell.peak);
    return peak;
  }

  // False when that can change nothing, or can not gain enough.
  bool SearchFullest() {
    Cell* fullest = nullptr;
    for (Cell& cell : cells_) {
      if (fullest == nullptr || cell.peak > fullest->peak) fullest = &cell;
    }
    if (fullest == nullptr || fullest->searched || fullest->peak <= found_.floor_bytes ||
        found_.floor_bytes >= below_) {
      return false;
    }
    fullest->searched = true;
    Search(*fullest);
    return true;
  }

  void Search(Cell& cell) {
    const OrderCell stretch(problem_, cell.begin, cell.end, cell.live, first_, last_);
    found_.floor_bytes = std::max(found_.floor_bytes, stretch.floor());
    const auto keep = [&](std::vector<uint32_t> order) {
      uint64_t work = 0;
      const size_t peak = stretch.PeakOf(order, work);
      work_left_ -= std::min(work, work_left_);
      if (peak >= cell.peak) return;
      cell.peak = peak;
      cell.order = std::move(order);
    };
    keep(DepthFirstOrder(stretch));
    for (const size_t width : kWidths) {
      for (const BeamRank rank : {BeamRank::kLive, BeamRank::kPeak}) {
        if (cell.peak <= found_.floor_bytes || found_.floor_bytes >= below_) return;
        const size_t below = std::min(cell.peak, below_);
        BeamAnswer answer =
            SearchBeam(stretch, {width, rank, below, found_.floor_bytes}, work_left_);
        if (answer.order) keep(std::move(*answer.order));
        if (answer.complete || answer.too_long) return;
      }
    }
  }

  // Cells that do not decide the peak stay as they are.
  void Adopt(size_t peak) {
    found_.bytes = peak;
    for (const Cell& cell : cells_) {
      if (cell.given_peak <= peak) continue;
      for (uint32_t i = 0; i < cell.order.size(); ++i) {
        found_.order[cell.begin + i] = cell.begin + cell.order[i];
      }
    }
  }

  const OrderProblem& problem_;
  uint64_t work_left_;
  const uint64_t limit_;
  FoundOrder found_;
  size_t below_ = 0;                    // what gains enough needs less than this
  std::vector<uint32_t> first_, last_;  // steps that touch a storage
  std::vector<Cell> cells_;
};

}  // namespace

bool HasOtherOrders(const OrderProblem& problem) {
  return CutIntoCells(problem).size() < problem.steps.size() + 1;
}

Result<FoundOrder> FindOrder(const OrderProblem& problem, const OrderLimits& limits) {
  WB_RETURN_IF_ERROR(Check(problem));
  return Orderer(problem, limits).Find();
}

}  // namespace waybill::plan
