#include "exec/plan/plan_bytes.h"

#include <algorithm>

namespace waybill::exec {

size_t PlanBytes::Limit(size_t plan_bytes) const {
  if (asked_) return *asked_;
  const size_t held = weights_ + largest_slab_;
  const size_t some = plan_bytes < kMost / kPlans ? plan_bytes * kPlans : kMost;
  return std::min(std::max({held / kPart, some, kLeast}), kMost);
}

void PlanBytes::NoteSlab(size_t bytes) {
  size_t largest = largest_slab_;
  while (largest < bytes && !largest_slab_.compare_exchange_weak(largest, bytes)) {
  }
}

}  // namespace waybill::exec
