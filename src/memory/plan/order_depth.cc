#include <algorithm>
#include <numeric>

#include "memory/plan/order_beam.h"

namespace waybill::plan {

namespace {

struct Weight {
  size_t peak = 0, residue = 0;
  size_t gain() const { return peak - residue; }
};

}  // namespace

std::vector<uint32_t> DepthFirstOrder(const OrderCell& cell) {
  const auto& steps = cell.steps();
  const auto count = static_cast<uint32_t>(steps.size());
  std::vector<Weight> weights(count);
  std::vector<std::vector<uint32_t>> needs(count);
  std::vector<bool> made(cell.storages().size());
  const auto heaviest_first = [&](uint32_t a, uint32_t b) {
    return weights[a].gain() > weights[b].gain();
  };
  for (uint32_t id = 0; id < count; ++id) {
    needs[id] = steps[id].after;
    std::stable_sort(needs[id].begin(), needs[id].end(), heaviest_first);
    size_t held = 0;
    Weight& weight = weights[id];
    for (const uint32_t other : needs[id]) {
      weight.peak = std::max(weight.peak, held + weights[other].peak);
      held += weights[other].residue;
    }
    for (const uint32_t storage : steps[id].touches) {
      if (!made[storage] && !cell.storages()[storage].before) {
        weight.residue += cell.storages()[storage].bytes;
      }
      made[storage] = true;
    }
    weight.peak = std::max(weight.peak, held + weight.residue + steps[id].scratch_bytes);
  }
  std::vector<uint32_t> ends, order, next(count);
  std::vector<bool> seen(count);
  for (uint32_t id = 0; id < count; ++id) {
    if (steps[id].before.empty()) ends.push_back(id);
  }
  std::stable_sort(ends.begin(), ends.end(), heaviest_first);
  for (const uint32_t end : ends) {
    std::vector<uint32_t> path{end};
    seen[end] = true;
    while (!path.empty()) {
      const uint32_t at = path.back();
      if (next[at] == needs[at].size()) {
        order.push_back(at);
        path.pop_back();
        continue;
      }
      const uint32_t need = needs[at][next[at]++];
      if (!seen[need]) path.push_back(need);
      seen[need] = true;
    }
  }
  return order;
}

}  // namespace waybill::plan
