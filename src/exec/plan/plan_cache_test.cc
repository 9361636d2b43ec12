#include "exec/plan/plan_cache.h"

#include <gtest/gtest.h>

#include "exec/plan/plan.h"

namespace waybill::exec {
namespace {

std::shared_ptr<const Plan> MakeEmptyPlan() { return std::make_shared<Plan>(); }

class PlanCacheTest : public ::testing::Test {
 protected:
  void Put(PlanCache& cache, int64_t key, size_t bytes) {
    cache.Insert(std::span(&key, 1), MakeEmptyPlan(), bytes);
  }
  static bool Has(PlanCache& cache, int64_t key) {
    return cache.Find(std::span(&key, 1)) != nullptr;
  }
  static std::shared_ptr<PlanBytes> AtMost(size_t bytes) {
    return std::make_shared<PlanBytes>(bytes);
  }
};

TEST_F(PlanCacheTest, BytesAreBoundedAndCounted) {
  const auto bytes = AtMost(10000);
  PlanCache cache(100, bytes);
  for (int64_t key = 0; key < 50; ++key) {
    Put(cache, key, 2000);
    EXPECT_LE(bytes->used, 10000u);
  }
  const PlanCacheStats stats = cache.Stats();
  EXPECT_EQ(stats.plans, 4u);
  EXPECT_EQ(stats.evictions, 46u);
  EXPECT_EQ(stats.bytes, bytes->used);
  EXPECT_GE(stats.bytes, 8000u);
  EXPECT_TRUE(Has(cache, 49));
  EXPECT_FALSE(Has(cache, 45));
}

TEST_F(PlanCacheTest, TheLeastRecentlyUsedGoesFirst) {
  PlanCache cache(3, AtMost(100000));
  for (int64_t key = 0; key < 3; ++key) Put(cache, key, 1);
  EXPECT_TRUE(Has(cache, 0));
  Put(cache, 3, 1);
  EXPECT_TRUE(Has(cache, 0));
  EXPECT_FALSE(Has(cache, 1));
}

// Also of plans that are used again without being looked for.
TEST_F(PlanCacheTest, RepeatsCountAsUses) {
  PlanCache cache(2, AtMost(100000));
  Put(cache, 0, 1);
  const int64_t first = 0;
  const std::shared_ptr<const Plan> plan = cache.Find(std::span(&first, 1));
  Put(cache, 1, 1);
  EXPECT_NE(cache.Latest(), plan);
  cache.CountHit(*plan);
  EXPECT_EQ(cache.Latest(), plan);
  EXPECT_EQ(cache.Stats().hits, 2u);
  Put(cache, 2, 1);
  EXPECT_FALSE(plan->given_up);
  EXPECT_FALSE(Has(cache, 1));
  EXPECT_TRUE(Has(cache, 0));
  Put(cache, 3, 1);
  EXPECT_TRUE(Has(cache, 0));
  EXPECT_FALSE(Has(cache, 2));
  cache.Clear();
  EXPECT_TRUE(plan->given_up);
}

TEST_F(PlanCacheTest, OnePlanStaysWhateverItWeighs) {
  PlanCache cache(8, AtMost(1000));
  Put(cache, 1, 100);
  Put(cache, 2, 1 << 20);
  EXPECT_EQ(cache.Stats().plans, 1u);
  EXPECT_TRUE(Has(cache, 2));
  Put(cache, 3, 100);
  EXPECT_TRUE(Has(cache, 3));
  EXPECT_FALSE(Has(cache, 2));
}

TEST_F(PlanCacheTest, ClearedPlansLiveAsLongAsTheirRuns) {
  const auto bytes = AtMost(100000);
  PlanCache cache(8, bytes);
  Put(cache, 1, 100);
  Put(cache, 2, 100);
  const int64_t first = 1, second = 2;
  const std::weak_ptr<const Plan> idle = cache.Find(std::span(&first, 1));
  const std::shared_ptr<const Plan> used = cache.Find(std::span(&second, 1));
  cache.Clear();
  EXPECT_TRUE(idle.expired());
  EXPECT_EQ(used.use_count(), 1);
  EXPECT_EQ(bytes->used, 0u);
  EXPECT_EQ(cache.Latest(), nullptr);
  EXPECT_FALSE(Has(cache, 2));
  EXPECT_EQ(cache.Stats().plans, 0u);
  EXPECT_EQ(cache.Stats().evictions, 2u);
  Put(cache, 2, 100);
  EXPECT_TRUE(Has(cache, 2));
}

// Those of bodies and of what has them.
TEST_F(PlanCacheTest, CachesShareOneLimit) {
  const auto bytes = AtMost(20000);
  PlanCache cache(100, bytes);
  {
    PlanCache other(100, bytes);
    for (int64_t key = 0; key < 40; ++key) {
      Put(cache, key, 1500);
      Put(other, key, 1500);
    }
    EXPECT_EQ(bytes->used, cache.Stats().bytes + other.Stats().bytes);
    EXPECT_LE(bytes->used, 20000u + 2000u);  // what came last stays
  }
  EXPECT_EQ(bytes->used, cache.Stats().bytes);
}

// A small plan, of a tail or for a small shape, has the room that the large ones beside it need.
TEST_F(PlanCacheTest, SmallPlansDoNotDriveLargeOnesOut) {
  const auto bytes = std::make_shared<PlanBytes>();
  PlanCache mains(1000, bytes), tails(1000, bytes);
  for (int64_t i = 0; i < 6; ++i) {
    Put(mains, i, 50'000);
    Put(tails, i, 3'000);
    Put(mains, 100 + i, 1'000);
  }
  EXPECT_EQ(mains.Stats().evictions, 0u);
  EXPECT_EQ(tails.Stats().evictions, 0u);
}

// By default plans take a small part of what the session holds, and there is room for some.
TEST(PlanBytesTest, TheLimitFollowsWhatTheSessionHolds) {
  const auto with_plan = [](size_t plan_bytes) {
    PlanBytes bytes;
    bytes.Note(plan_bytes, 0);
    bytes.Note(10, 0);  // smaller ones take nothing away
    return bytes.Limit();
  };
  EXPECT_EQ(PlanBytes().Limit(), PlanBytes::kLeast);
  EXPECT_EQ(with_plan(1000), PlanBytes::kLeast);
  EXPECT_EQ(with_plan(100000), 100000 * PlanBytes::kPlans);
  EXPECT_EQ(with_plan(size_t{1} << 40), PlanBytes::kMost);
  PlanBytes bytes;
  bytes.AddWeights(size_t{60} << 20);
  bytes.Note(1000, size_t{40} << 20);
  bytes.Note(1000, size_t{20} << 20);
  EXPECT_EQ(bytes.Limit(), size_t{5} << 20);
  bytes.Forget();
  EXPECT_EQ(bytes.Limit(), size_t{3} << 20);
  bytes.AddWeights(size_t{1} << 40);
  EXPECT_EQ(bytes.Limit(), PlanBytes::kMost);
  EXPECT_EQ(PlanBytes(7).Limit(), 7u);
}

}  // namespace
}  // namespace waybill::exec
