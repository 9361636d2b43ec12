#include "exec/plan/plan_bytes.h"

#include <algorithm>

namespace waybill::exec {

namespace {

void RaiseTo(std::atomic<size_t>& most, size_t value) {
  size_t seen = most;
  while (seen < value && !most.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

size_t PlanBytes::Limit() const {
  if (asked_) return *asked_;
  const size_t held = weights_ + largest_slab_;
  const size_t plan = largest_plan_;
  const size_t some = plan < kMost / kPlans ? plan * kPlans : kMost;
  return std::min(std::max({held / kPart, some, kLeast}), kMost);
}

void PlanBytes::Note(size_t plan_bytes, size_t slab_bytes) {
  RaiseTo(largest_plan_, plan_bytes);
  RaiseTo(largest_slab_, slab_bytes);
}

}  // namespace waybill::exec
