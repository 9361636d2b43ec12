#include "memory/plan/template.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "memory/plan/templates.h"
#include "memory/plan/testing/random_problem.h"

namespace waybill::plan {
namespace {

constexpr uint32_t kSteps = 40;

SearchLimits Short() {
  SearchLimits limits;
  limits.work = 20000;
  return limits;
}

// The same lifetimes with other sizes: of any kind, and of about the same proportions.
std::vector<Lifetime> Resized(std::vector<Lifetime> lives, uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool any = random() % 2 == 0;
  const uint64_t factor = 1 + random() % 50;
  for (Lifetime& life : lives) {
    if (life.bytes == 0) continue;
    life.bytes = any ? random() % (uint64_t{1} << (1 + random() % 20)) : life.bytes * factor;
  }
  return lives;
}

TEST(Template, IsRightForAllSizes) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const std::vector<Lifetime> lives = RandomGraphProblem(seed, kSteps);
    const auto best = PlaceBest(lives, Short());
    ASSERT_TRUE(best.ok());
    const Template made(lives, *best);
    EXPECT_LE(made.num_relations(), 2 * lives.size());
    for (uint64_t round = 0; round < 4; ++round) {
      const std::vector<Lifetime> other = round == 0 ? lives : Resized(lives, 4 * seed + round);
      ASSERT_TRUE(made.Fits(other));
      const auto answer = made.Place(other);
      ASSERT_TRUE(answer);
      const Status status = Verify(other, answer->placement);
      ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status.ToString();
      EXPECT_EQ(answer->bound_bytes, *LowerBound(other)) << seed;
      EXPECT_GE(answer->placement.slab_bytes, answer->bound_bytes) << seed;
      // As low as the relations let it, so never above what it is made of.
      if (round == 0) {
        EXPECT_LE(answer->placement.slab_bytes, best->slab_bytes) << seed;
      }
    }
  }
}

// Any right placement will do, also one that leaves gaps.
TEST(Template, OfAStackStaysRight) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<Lifetime> lives = RandomGraphProblem(seed, kSteps);
    const Template made(lives, *PlaceWithoutReuse(lives));
    const std::vector<Lifetime> other = Resized(lives, seed);
    EXPECT_TRUE(Verify(other, made.Place(other)->placement).ok()) << seed;
  }
}

TEST(Template, FitsTheSameLifetimesOnly) {
  const std::vector<Lifetime> lives = {{0, 0, 2, 100, 64}, {1, 1, 3, 0, 64}, {2, 2, 3, 7, 64}};
  const Template made(lives, *PlaceBest(lives));
  EXPECT_TRUE(made.Fits(lives));
  const auto with = [&](size_t i, auto change) {
    std::vector<Lifetime> other = lives;
    change(other[i]);
    return made.Fits(other);
  };
  EXPECT_TRUE(with(0, [](Lifetime& life) { life.bytes = 1 << 20; }));
  EXPECT_TRUE(with(0, [](Lifetime& life) { life.bytes = 0; }));
  EXPECT_FALSE(with(1, [](Lifetime& life) { life.bytes = 1; }));  // has no place in the template
  EXPECT_FALSE(with(0, [](Lifetime& life) { life.last_step = 3; }));
  EXPECT_FALSE(with(2, [](Lifetime& life) { life.first_step = 1; }));
  EXPECT_FALSE(with(2, [](Lifetime& life) { life.align = 128; }));
  EXPECT_FALSE(made.Fits(std::span(lives).first(2)));
}

TEST(Template, SizesThatOverflowAreNotPlaced) {
  std::vector<Lifetime> lives = {{0, 0, 1, 100, 64}, {1, 1, 2, 100, 64}};
  const Template made(lives, *PlaceBest(lives));
  lives[0].bytes = SIZE_MAX - 3;
  EXPECT_FALSE(made.Place(lives));
  lives[0].bytes = lives[1].bytes = SIZE_MAX / 4 + 1;
  EXPECT_FALSE(made.Place(lives));
}

struct Store {
  explicit Store(size_t max_bytes = 1 << 20) : templates(max_bytes, total) {}
  std::shared_ptr<std::atomic<size_t>> total = std::make_shared<std::atomic<size_t>>(0);
  Templates templates;
};

TEST(Templates, AcceptWhatIsEnoughAndCountIt) {
  uint64_t accepts = 0, rejects = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const std::vector<Lifetime> lives = RandomGraphProblem(seed, kSteps);
    Store store;
    const auto best = PlaceBest(lives, Short());
    store.templates.Keep(lives, *best);
    for (uint64_t round = 0; round < 4; ++round) {
      const std::vector<Lifetime> other = Resized(lives, 4 * seed + round);
      const auto answer = store.templates.Place(other);
      if (!answer) continue;
      EXPECT_LE(static_cast<double>(answer->placement.slab_bytes),
                1.02 * static_cast<double>(answer->bound_bytes));
      EXPECT_TRUE(Verify(other, answer->placement).ok());
    }
    const TemplateStats stats = store.templates.Stats();
    EXPECT_EQ(stats.accepts + stats.rejects, stats.templates == 0 ? 0u : 4u);
    accepts += stats.accepts;
    rejects += stats.rejects;
  }
  EXPECT_GT(accepts, 1000u);
  EXPECT_GT(rejects, 100u);
}

TEST(Templates, AreBoundedAndGivenUp) {
  Store store;
  const auto problem = [](uint32_t steps) {
    std::vector<Lifetime> lives;
    for (uint32_t i = 0; i < steps; ++i) lives.push_back({i, i, i + 1, 64, 64});
    return lives;
  };
  for (uint32_t steps = 1; steps <= 10; ++steps) {
    const auto lives = problem(steps);
    EXPECT_FALSE(store.templates.Place(lives));
    store.templates.Keep(lives, *PlaceBest(lives));
    EXPECT_LE(store.templates.Stats().templates, Templates::kMaxTemplates);
    if (steps > 1) {
      EXPECT_TRUE(store.templates.Place(problem(2)));  // used, so kept
    }
  }
  EXPECT_FALSE(store.templates.Place(problem(5)));
  EXPECT_TRUE(store.templates.Place(problem(10)));
  const TemplateStats stats = store.templates.Stats();
  EXPECT_EQ(stats.rejects, 0u);
  EXPECT_GT(stats.bytes, 0u);
  EXPECT_EQ(*store.total, stats.bytes);
  store.templates.Clear();
  EXPECT_EQ(*store.total, 0u);
  EXPECT_FALSE(store.templates.Place(problem(2)));

  Store tight(1);
  tight.templates.Keep(problem(3), *PlaceBest(problem(3)));
  EXPECT_EQ(tight.templates.Stats().templates, 0u);
}

TEST(Templates, ServeManyThreads) {
  Store store;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 400; ++i) {
        const auto lives = RandomGraphProblem(i % 6, 10);
        if (const auto answer = store.templates.Place(lives)) {
          EXPECT_TRUE(Verify(lives, answer->placement).ok());
        } else {
          store.templates.Keep(lives, *PlaceBest(lives, Short()));
        }
        if (i % 50 == 0) store.templates.Clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  store.templates.Clear();
  EXPECT_EQ(*store.total, 0u);
}

}  // namespace
}  // namespace waybill::plan
