#include "cpu/simd/target.h"

#include <gtest/gtest.h>

#include "cpu/simd/target_limit.h"

namespace waybill::cpu {
namespace {

TEST(Targets, BaselineIsFirstAndBestIsLast) {
  const auto targets = AvailableTargets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), SimdTarget::kBaseline);
  EXPECT_EQ(targets.back(), BestTarget());
  for (const SimdTarget target : targets) EXPECT_NE(SimdTargetName(target), "unknown");
}

TEST(Targets, LimitsNest) {
  const SimdTarget best = BestTarget();
  for (const SimdTarget target : AvailableTargets()) {
    const TargetLimit limit(target);
    EXPECT_EQ(BestTarget(), target);
    {
      const TargetLimit inner(SimdTarget::kBaseline);
      EXPECT_EQ(BestTarget(), SimdTarget::kBaseline);
    }
    EXPECT_EQ(BestTarget(), target);
  }
  EXPECT_EQ(BestTarget(), best);
}

// The best of those below, where the one asked for is not available.
TEST(Targets, LimitThatIsNotAvailable) {
  const auto targets = AvailableTargets();
  for (const SimdTarget most : {SimdTarget::kSse4, SimdTarget::kAvx2, SimdTarget::kAvx3}) {
    const TargetLimit limit(most);
    EXPECT_LE(BestTarget(), most);
    EXPECT_GE(BestTarget(), targets.front());
  }
}

}  // namespace
}  // namespace waybill::cpu
