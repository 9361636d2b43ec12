#include "cpu/simd/target.h"

#include <gtest/gtest.h>

namespace waybill::cpu {
namespace {

TEST(Targets, BaselineIsFirstAndBestIsLast) {
  const auto targets = AvailableTargets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), SimdTarget::kBaseline);
  EXPECT_EQ(targets.back(), BestTarget());
  for (const SimdTarget target : targets) EXPECT_NE(SimdTargetName(target), "unknown");
}

}  // namespace
}  // namespace waybill::cpu
