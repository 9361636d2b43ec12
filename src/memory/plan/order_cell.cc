#include "memory/plan/order_cell.h"

#include <algorithm>
#include <map>

namespace waybill::plan {

OrderCell::OrderCell(const OrderProblem& problem, uint32_t begin, uint32_t end, size_t live,
                     std::span<const uint32_t> first, std::span<const uint32_t> last)
    : steps_(end - begin), live_(live) {
  std::map<uint32_t, uint32_t> here;  // storages
  for (uint32_t number = begin; number < end; ++number) {
    const OrderStep& from = problem.steps[number];
    const uint32_t id = number - begin;
    Step& step = steps_[id];
    step.scratch_bytes = from.scratch_bytes;
    for (const uint32_t other : from.after) {
      const uint32_t need = other - begin;
      if (other < begin ||
          std::find(step.after.begin(), step.after.end(), need) != step.after.end()) {
        continue;
      }
      step.after.push_back(need);
      steps_[need].before.push_back(id);
    }
    for (const uint32_t touched : from.touches) {
      const auto next = static_cast<uint32_t>(storages_.size());
      const auto [at, is_new] = here.emplace(touched, next);
      if (is_new) {
        const OrderStorage& storage = problem.storages[touched];
        const bool behind = storage.kept || last[touched] >= end;
        storages_.push_back({storage.bytes, first[touched] < begin, behind, {}});
      }
      step.touches.push_back(at->second);
      storages_[at->second].touched_by.push_back(id);
    }
    for (const auto& [made, taken] : from.in_place) {
      step.in_place.push_back({here.at(made), here.at(taken)});
    }
  }
  FindFloor();
}

// What a step itself touches is there while it is done, whatever the order, as is what is there all
// the time.
void OrderCell::FindFloor() {
  size_t passing = live_;
  size_t left = live_;  // when the cell ends
  for (const Storage& storage : storages_) {
    if (storage.before && !storage.behind) passing -= storage.bytes, left -= storage.bytes;
    if (!storage.before && storage.behind) left += storage.bytes;
  }
  floor_ = std::max(live_, left);
  for (const Step& step : steps_) {
    size_t bytes = passing + step.scratch_bytes;
    for (const uint32_t id : step.touches) {
      if (!storages_[id].before || !storages_[id].behind) bytes += storages_[id].bytes;
    }
    size_t shared = 0;
    for (const auto& [made, taken] : step.in_place) {
      if (storages_[made].bytes == storages_[taken].bytes) {
        shared = std::max(shared, storages_[made].bytes);
      }
    }
    floor_ = std::max(floor_, bytes - shared);
  }
}

size_t OrderCell::PeakOf(std::span<const uint32_t> order, uint64_t& work) const {
  std::vector<bool> done(steps_.size());
  size_t peak = live_, live = live_;
  for (const uint32_t step : order) {
    const Effect effect = EffectOf(
        step, live, [&](uint32_t other) { return done[other]; }, work);
    peak = std::max(peak, effect.during);
    live = effect.live;
    done[step] = true;
  }
  return peak;
}

}  // namespace waybill::plan
