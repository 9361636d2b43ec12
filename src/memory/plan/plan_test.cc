#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/math/checked.h"
#include "memory/plan/csv.h"
#include "memory/plan/lifetime.h"

namespace waybill::plan {
namespace {

std::vector<Lifetime> RandomProblem(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t count = below(60);
  const uint32_t steps = 1 + below(50);
  const uint32_t longest = 1 + below(steps);
  const bool mixed_align = below(2) == 0;
  std::vector<Lifetime> lives;
  for (uint32_t i = 0; i < count; ++i) {
    Lifetime life;
    life.id = 1000 - i;
    life.first_step = below(steps) * 3;
    life.last_step = life.first_step + below(longest) * 2;
    life.bytes = below(8) == 0 ? 0 : size_t{below(1u << below(20))};
    life.align = mixed_align ? size_t{1} << below(10) : 64;
    lives.push_back(life);
  }
  return lives;
}

// The bound by its definition, step by step.
size_t SlowBound(const std::vector<Lifetime>& lives) {
  size_t bound = 0;
  for (uint32_t step = 0; step < 400; ++step) {
    size_t alive = 0;
    for (const Lifetime& life : lives) {
      if (life.first_step <= step && step <= life.last_step) {
        alive += AlignUp(life.bytes, life.align);
      }
    }
    bound = std::max(bound, alive);
  }
  return bound;
}

// Pair by pair, with none of Verify's cleverness.
bool SlowVerify(const std::vector<Lifetime>& lives, const Placement& placement) {
  for (size_t i = 0; i < lives.size(); ++i) {
    const Lifetime& a = lives[i];
    const size_t offset_a = placement.offsets[i];
    if (a.bytes == 0) continue;
    if (offset_a % a.align != 0 || offset_a + a.bytes > placement.slab_bytes) return false;
    for (size_t j = 0; j < i; ++j) {
      const Lifetime& b = lives[j];
      const size_t offset_b = placement.offsets[j];
      const bool time = a.first_step <= b.last_step && b.first_step <= a.last_step;
      const bool space = offset_a < offset_b + b.bytes && offset_b < offset_a + a.bytes;
      if (b.bytes != 0 && time && space) return false;
    }
  }
  return true;
}

TEST(Plan, RandomProblemsArePlacedRightAndNotBelowTheBound) {
  double worst = 1;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const auto lives = RandomProblem(seed);
    const auto bound = LowerBound(lives);
    ASSERT_TRUE(bound.ok());
    ASSERT_EQ(*bound, SlowBound(lives)) << seed;
    const auto loose = PlaceWithoutReuse(lives);
    const auto tight = PlaceGreedy(lives);
    ASSERT_TRUE(loose.ok() && tight.ok());
    for (const Placement* placement : {&*loose, &*tight}) {
      const Status verdict = Verify(lives, *placement);
      ASSERT_TRUE(verdict.ok()) << seed << ": " << verdict.ToString();
      ASSERT_TRUE(SlowVerify(lives, *placement)) << seed;
      ASSERT_GE(placement->slab_bytes, *bound) << seed;
    }
    ASSERT_LE(tight->slab_bytes, loose->slab_bytes) << seed;
    const auto again = PlaceGreedy(lives);
    ASSERT_EQ(again->offsets, tight->offsets) << seed;
    if (*bound > 0) worst = std::max(worst, double(tight->slab_bytes) / double(*bound));
  }
  EXPECT_LE(worst, 1.5);
}

TEST(Plan, VerifyFindsWhatThePairwiseCheckFinds) {
  int broken = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const auto lives = RandomProblem(seed);
    auto placement = PlaceWithoutReuse(lives);
    ASSERT_TRUE(placement.ok());
    std::mt19937 random(seed);
    if (lives.empty()) continue;
    const size_t victim = random() % lives.size();
    placement->offsets[victim] = (random() % (placement->slab_bytes + 1)) & ~size_t{63};
    const bool right = SlowVerify(lives, *placement);
    broken += !right;
    EXPECT_EQ(Verify(lives, *placement).ok(), right) << seed;
  }
  EXPECT_GT(broken, 100);
}

TEST(Plan, VerifyNamesTheBuffers) {
  const std::vector<Lifetime> lives = {{7, 0, 2, 100, 1}, {9, 2, 3, 100, 1}};
  const Status verdict = Verify(lives, Placement{{0, 99}, 199});
  EXPECT_EQ(verdict.code(), Code::kInternal);
  EXPECT_EQ(verdict.message(),
            "buffer 7 (steps 0..2, bytes 0..100) and buffer 9 (steps 2..3, bytes 99..199) overlap");
  EXPECT_TRUE(Verify(lives, Placement{{0, 100}, 200}).ok());
  EXPECT_FALSE(Verify(lives, Placement{{0, 100}, 199}).ok());
  EXPECT_FALSE(Verify(lives, Placement{{0}, 200}).ok());
  EXPECT_FALSE(Verify(lives, Placement{{SIZE_MAX - 10, 100}, 200}).ok());
}

TEST(Plan, BuffersThatOnlyTouchInTimeMeet) {
  const std::vector<Lifetime> meeting = {{0, 0, 1, 64, 64}, {1, 1, 2, 64, 64}};
  EXPECT_EQ(*LowerBound(meeting), 128u);
  const std::vector<Lifetime> apart = {{0, 0, 1, 64, 64}, {1, 2, 2, 64, 64}};
  EXPECT_EQ(*LowerBound(apart), 64u);
  EXPECT_EQ(PlaceGreedy(apart)->slab_bytes, 64u);
}

TEST(Plan, EmptyProblemsAndEmptyBuffers) {
  EXPECT_EQ(*LowerBound({}), 0u);
  EXPECT_EQ(PlaceGreedy({})->slab_bytes, 0u);
  const std::vector<Lifetime> lives = {{0, 0, 9, 0, 64}, {1, 3, 3, 1, 64}, {2, 3, 3, 0, 64}};
  const auto placement = PlaceGreedy(lives);
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->offsets.size(), 3u);
  EXPECT_EQ(placement->slab_bytes, 64u);
  EXPECT_TRUE(Verify(lives, *placement).ok());
}

TEST(Plan, BrokenProblemsAreNamed) {
  const auto expect_refused = [](std::vector<Lifetime> lives, const std::string& text) {
    for (const Status& status : {LowerBound(lives).status(), PlaceWithoutReuse(lives).status(),
                                 PlaceGreedy(lives).status()}) {
      EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
      EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
    }
  };
  expect_refused({{5, 2, 1, 8, 64}}, "buffer 5 ends at step 1 before its start at 2");
  expect_refused({{5, 2, 2, 8, 48}}, "alignment 48");
  expect_refused({{5, 2, 2, 8, 0}}, "alignment 0");
  expect_refused({{5, 0, 0, 8, 64}, {5, 1, 1, 8, 64}}, "two buffers have id 5");
  expect_refused({{5, 0, 0, SIZE_MAX, 64}}, "overflow at buffer 5");
  expect_refused({{5, 0, 0, SIZE_MAX, 1}}, "overflow at buffer 5");
  expect_refused({{5, 0, 0, SIZE_MAX / 4, 64}, {6, 0, 0, SIZE_MAX / 4, 64}, {7, 0, 0, 8, 64}},
                 "overflow at buffer");
}

TEST(Plan, ExtremeSteps) {
  const std::vector<Lifetime> lives = {
      {0, 0, UINT32_MAX, 64, 64}, {1, UINT32_MAX, UINT32_MAX, 64, 64}, {2, 0, 0, 64, 64}};
  EXPECT_EQ(*LowerBound(lives), 128u);
  EXPECT_EQ(PlaceGreedy(lives)->slab_bytes, 128u);
}

TEST(Plan, ManyBuffersStayAffordable) {
  std::mt19937 random(5);
  std::vector<Lifetime> lives;
  for (uint32_t i = 0; i < 4000; ++i) {
    const uint32_t first = static_cast<uint32_t>(random() % 4000);
    // Every pair of half of them meets: more pairs than are listed.
    lives.push_back({i, i % 2 ? 0 : first, i % 2 ? 4000 : first + 3, 64 + random() % 4096, 64});
  }
  const auto placement = PlaceGreedy(lives);
  ASSERT_TRUE(placement.ok());
  EXPECT_TRUE(Verify(lives, *placement).ok());
  EXPECT_LE(double(placement->slab_bytes), 1.02 * double(*LowerBound(lives)));
}

TEST(Csv, RoundTripAndErrors) {
  const auto lives = RandomProblem(17);
  auto read = ReadCsv(WriteCsv(lives, nullptr));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), lives.size());
  for (size_t i = 0; i < lives.size(); ++i) {
    EXPECT_EQ((*read)[i].first_step, lives[i].first_step);
    EXPECT_EQ((*read)[i].last_step, lives[i].last_step);
    EXPECT_EQ((*read)[i].bytes, lives[i].bytes);
    EXPECT_EQ((*read)[i].align, lives[i].align);
  }
  EXPECT_EQ(*LowerBound(*ReadCsv("id,lower,upper,size\r\nb1,0,3,4\r\nb2,3,9,4\r\n\r\n")), 4u);
  EXPECT_EQ(ReadCsv("").status().code(), Code::kInvalidArgument);
  const auto bad = [](std::string_view line) {
    return ReadCsv("id,lower,upper,size\n" + std::string(line)).status().message();
  };
  EXPECT_NE(bad("a,0,1").find("column size is missing | line 2"), std::string::npos);
  EXPECT_NE(bad("a,0,-1,2").find("'-1'"), std::string::npos);
  EXPECT_NE(bad("a,3,3,2").find("upper 3"), std::string::npos);
  EXPECT_NE(bad("a,0,1,99999999999999999999").find("range"), std::string::npos);
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Plan, RealGraphsMeetTheirBounds) {
  const auto folder = std::filesystem::path(WAYBILL_TEST_DATA) / "minimalloc" / "onnx-derived";
  if (std::string_view(WAYBILL_TEST_DATA).empty() || !std::filesystem::exists(folder)) {
    GTEST_SKIP() << "no extra test data";
  }
  std::istringstream table(ReadAll(folder / "lb.csv"));
  std::string line;
  std::getline(table, line);
  int instances = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string name, count, bound;
    std::getline(fields, name, ',');
    std::getline(fields, count, ',');
    std::getline(fields, bound, ',');
    const auto lives = ReadCsv(ReadAll(folder / name));
    ASSERT_TRUE(lives.ok()) << name;
    EXPECT_EQ(lives->size(), std::stoul(count)) << name;
    EXPECT_EQ(*LowerBound(*lives), std::stoul(bound)) << name;
    const auto placement = PlaceGreedy(*lives);
    ASSERT_TRUE(placement.ok()) << name;
    EXPECT_TRUE(Verify(*lives, *placement).ok()) << name;
    EXPECT_EQ(placement->slab_bytes, std::stoul(bound)) << name;
    ++instances;
  }
  EXPECT_EQ(instances, 28);
}

}  // namespace
}  // namespace waybill::plan
