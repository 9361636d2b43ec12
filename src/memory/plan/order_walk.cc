#include "memory/plan/order_walk.h"

#include <algorithm>

namespace waybill::plan {

namespace {

class Walk {
 public:
  explicit Walk(const OrderProblem& problem)
      : problem_(problem), to_come_(problem.storages.size()), begun_(problem.storages.size()) {
    for (const OrderStep& step : problem.steps) {
      for (const uint32_t storage : step.touches) ++to_come_[storage];
    }
  }

  LiveBytes Do(const OrderStep& step) {
    const size_t shared = Shared(step);
    for (const uint32_t storage : step.touches) {
      if (!begun_[storage]) live_ += problem_.storages[storage].bytes;
    }
    const size_t during = live_ - shared + step.scratch_bytes;
    for (const uint32_t storage : step.touches) {
      if (Ends(storage)) live_ -= problem_.storages[storage].bytes;
      begun_[storage] = true;
      --to_come_[storage];
    }
    return {during, live_};
  }

 private:
  bool Ends(uint32_t storage) const {
    return to_come_[storage] == 1 && !problem_.storages[storage].kept;
  }
  size_t Shared(const OrderStep& step) const {
    for (const auto& [made, taken] : step.in_place) {
      const size_t bytes = problem_.storages[made].bytes;
      if (bytes != problem_.storages[taken].bytes) continue;
      if (!begun_[made] && begun_[taken] && Ends(taken)) return bytes;
    }
    return 0;
  }

  const OrderProblem& problem_;
  std::vector<uint32_t> to_come_;
  std::vector<bool> begun_;
  size_t live_ = 0;
};

}  // namespace

std::vector<LiveBytes> WalkOrder(const OrderProblem& problem, std::span<const uint32_t> order) {
  Walk walk(problem);
  std::vector<LiveBytes> out;
  out.reserve(order.size());
  for (const uint32_t step : order) out.push_back(walk.Do(problem.steps[step]));
  return out;
}

size_t PeakBytes(const OrderProblem& problem, std::span<const uint32_t> order) {
  size_t peak = 0;
  for (const LiveBytes& bytes : WalkOrder(problem, order)) peak = std::max(peak, bytes.during);
  return peak;
}

}  // namespace waybill::plan
