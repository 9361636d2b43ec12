#include "memory/plan/around.h"

#include <gtest/gtest.h>

#include "memory/plan/testing/random_problem.h"

namespace waybill::plan {
namespace {

TEST(Around, RandomTailsLieBesideWhatIsThere) {
  size_t placed = 0, refused = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const auto all = RandomGraphProblem(seed, 60);
    const uint32_t cut = static_cast<uint32_t>(seed % 40);
    std::vector<Lifetime> first, fixed, rest;
    for (const Lifetime& life : all) (life.first_step < cut ? first : rest).push_back(life);
    const Placement before = *PlaceGreedy(first);
    Placement joint;
    for (size_t i = 0; i < first.size(); ++i) {
      if (first[i].last_step < cut) continue;
      fixed.push_back(first[i]);
      joint.offsets.push_back(before.offsets[i]);
    }
    const std::vector<size_t> offsets = joint.offsets;
    const size_t capacity = before.slab_bytes + seed % 3 * before.slab_bytes / 4;
    const auto around = PlaceAround(rest, fixed, offsets, capacity);
    ASSERT_TRUE(around.ok()) << around.status().ToString();
    ++(*around ? placed : refused);
    if (!*around) continue;
    EXPECT_GE((*around)->slab_bytes, *LowerBound(rest));
    fixed.insert(fixed.end(), rest.begin(), rest.end());
    joint.offsets.insert(joint.offsets.end(), (*around)->offsets.begin(), (*around)->offsets.end());
    joint.slab_bytes = SIZE_MAX;
    for (const Lifetime& life : rest) {
      const size_t at = (*around)->offsets[static_cast<size_t>(&life - rest.data())];
      if (life.bytes == 0) continue;
      ASSERT_LE(at + life.bytes, capacity);
    }
    const Status status = Verify(fixed, joint);
    ASSERT_TRUE(status.ok()) << seed << ": " << status.ToString();
  }
  EXPECT_GT(placed, 100u);
  EXPECT_GT(refused, 100u);
}

TEST(Around, FillsAGapAndRefusesWhatDoesNotFit) {
  const std::vector<Lifetime> fixed = {{0, 0, 9, 128, 64}, {1, 0, 9, 128, 64}};
  const std::vector<size_t> offsets = {0, 256};
  const auto fits = PlaceAround(std::vector<Lifetime>{{0, 3, 5, 100, 64}}, fixed, offsets, 384);
  ASSERT_TRUE(fits.ok() && *fits);
  EXPECT_EQ((*fits)->offsets[0], 128u);
  EXPECT_EQ((*fits)->slab_bytes, 256u);
  const auto large = PlaceAround(std::vector<Lifetime>{{0, 3, 5, 129, 64}}, fixed, offsets, 384);
  ASSERT_TRUE(large.ok());
  EXPECT_FALSE(*large);
  const auto later = PlaceAround(std::vector<Lifetime>{{0, 10, 10, 384, 64}}, fixed, offsets, 384);
  ASSERT_TRUE(later.ok() && *later);
  EXPECT_EQ((*later)->offsets[0], 0u);
  const auto broken = PlaceAround(std::vector<Lifetime>{{0, 5, 3, 1, 64}}, fixed, offsets, 384);
  EXPECT_FALSE(broken.ok());
}

}  // namespace
}  // namespace waybill::plan
