// For tests and benchmarks: kernels for a lesser instruction set than the CPU's best.
#pragma once

#include "cpu/simd/target.h"

namespace waybill::cpu {

// While one lives, BestTarget() is the best available one that is not above `most`, so kernels that
// are made and run meanwhile use that. They must not outlive it. Limits nest, the inner one counts;
// what other threads make is limited too, so only one thread may set limits.
class TargetLimit {
 public:
  explicit TargetLimit(SimdTarget most);
  ~TargetLimit();
  TargetLimit(const TargetLimit&) = delete;
  TargetLimit& operator=(const TargetLimit&) = delete;

 private:
  SimdTarget before_;
};

}  // namespace waybill::cpu
