#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/math/checked.h"
#include "memory/plan/csv.h"
#include "memory/plan/parts.h"
#include "memory/plan/place.h"
#include "memory/plan/search.h"
#include "memory/plan/testing/random_problem.h"

namespace waybill::plan {
namespace {

// The smallest slab there is: some order of lowest fits leads to it. Orders are tried to the end or
// until their slab is no smaller than the best before.
class SmallestSlabSearch {
 public:
  explicit SmallestSlabSearch(const std::vector<Lifetime>& lives)
      : lives_(lives), offsets_(lives.size()), bound_(*LowerBound(lives)) {}

  size_t Run() {
    Continue(0);
    return smallest_;
  }

 private:
  size_t LowestFit(const Lifetime& life) const {
    size_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const size_t i : placed_) {
        const Lifetime& other = lives_[i];
        if (other.first_step > life.last_step || life.first_step > other.last_step) continue;
        const size_t end = offsets_[i] + AlignUp(other.bytes, other.align);
        if (offsets_[i] < offset + AlignUp(life.bytes, life.align) && offset < end) {
          offset = AlignUp(end, life.align);
          moved = true;
        }
      }
    }
    return offset;
  }

  void Continue(size_t slab) {
    if (slab >= smallest_ || smallest_ == bound_) return;
    bool whole = true;
    for (size_t i = 0; i < lives_.size(); ++i) {
      const Lifetime& life = lives_[i];
      if (life.bytes == 0 || std::ranges::find(placed_, i) != placed_.end()) continue;
      whole = false;
      offsets_[i] = LowestFit(life);
      placed_.push_back(i);
      Continue(std::max(slab, offsets_[i] + AlignUp(life.bytes, life.align)));
      placed_.pop_back();
    }
    if (whole) smallest_ = slab;
  }

  const std::vector<Lifetime>& lives_;
  std::vector<size_t> offsets_;
  std::vector<size_t> placed_;
  const size_t bound_;
  size_t smallest_ = SIZE_MAX;
};

size_t SmallestSlab(const std::vector<Lifetime>& lives) { return SmallestSlabSearch(lives).Run(); }

// Few steps, so that almost all meet, and sizes that do not add up.
std::vector<Lifetime> DenseProblem(uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool mixed_align = random() % 2 == 0;
  std::vector<Lifetime> lives;
  for (uint32_t i = 0; i < 8; ++i) {
    const auto first = static_cast<uint32_t>(random() % 6);
    const auto last = first + static_cast<uint32_t>(random() % 3);
    const size_t align = mixed_align ? size_t{1} << random() % 5 : 1;
    lives.push_back({i, first, last, random() % 24, align});
  }
  return lives;
}

SearchLimits ToTheEnd() {
  SearchLimits limits;
  limits.enough_bytes = 1;
  return limits;
}

TEST(Search, FindsTheSmallestSlabOfSmallProblems) {
  int above_bound = 0;
  int searched = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const auto lives = DenseProblem(seed);
    const auto best = PlaceBest(lives, ToTheEnd());
    ASSERT_TRUE(best.ok()) << best.status().ToString();
    ASSERT_TRUE(Verify(lives, *best).ok()) << seed;
    ASSERT_TRUE(best->optimal) << seed;
    ASSERT_EQ(best->slab_bytes, SmallestSlab(lives)) << seed;
    above_bound += best->slab_bytes > best->bound_bytes;
    searched += best->search_work > 0;
  }
  EXPECT_GT(searched, 20);
  EXPECT_GT(above_bound, 20);
}

// Each strategy for itself, shaken or not: whole within the smallest slab, impossible below it.
TEST(Search, EveryStrategyIsComplete) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const auto lives = DenseProblem(seed);
    const size_t smallest = SmallestSlab(lives);
    const auto problem = MakeProblem(lives);
    ASSERT_TRUE(problem.ok());
    const std::vector<Problem> parts = CutAtLines(*problem);
    for (const Choice choice : {Choice::kLowest, Choice::kTightest}) {
      for (const Order order : {Order::kLifetime, Order::kContentionArea, Order::kSize}) {
        for (uint64_t shake = 0; shake < 3; ++shake) {
          const auto fits = [&](size_t capacity) {
            bool all = true;
            for (const Problem& part : parts) {
              const Conflicts meets = FindConflicts(part);
              Search search(part, meets, {choice, order});
              search.Restart(capacity, shake);
              Outcome outcome = Outcome::kUndecided;
              while (outcome == Outcome::kUndecided) outcome = search.Continue(10);
              all = all && outcome == Outcome::kFound;
            }
            return all;
          };
          ASSERT_TRUE(fits(smallest)) << seed;
          if (smallest == 0) continue;
          ASSERT_FALSE(fits(smallest - 1)) << seed;
        }
      }
    }
  }
}

// A puzzle without a gap: a rectangle of `steps` x `bytes`, cut at random.
std::vector<Lifetime> Puzzle(uint64_t seed, uint32_t steps, size_t bytes, int cuts) {
  struct Piece {
    uint32_t begin, end;
    size_t low, high;
  };
  std::mt19937_64 random(seed);
  std::vector<Piece> pieces = {{0, steps, 0, bytes}};
  while (cuts > 0) {
    Piece& piece = pieces[random() % pieces.size()];
    Piece other = piece;
    if (random() % 2 == 0) {
      if (piece.end - piece.begin < 2) continue;
      piece.end = other.begin =
          piece.begin + 1 + static_cast<uint32_t>(random() % (piece.end - piece.begin - 1));
    } else {
      if (piece.high - piece.low < 2) continue;
      piece.high = other.low = piece.low + 1 + random() % (piece.high - piece.low - 1);
    }
    pieces.push_back(other);
    --cuts;
  }
  std::vector<Lifetime> lives;
  for (const Piece& piece : pieces) {
    lives.push_back({static_cast<uint32_t>(lives.size()), piece.begin, piece.end - 1,
                     (piece.high - piece.low) * 64, 64});
  }
  return lives;
}

TEST(Search, SolvesPuzzlesThatGreedDoesNot) {
  int greedy_solved = 0;
  int solved = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto lives = Puzzle(seed, 60, 1000, 70);
    greedy_solved += PlaceGreedy(lives)->slab_bytes == 64000;
    const auto best = PlaceBest(lives, ToTheEnd());
    ASSERT_TRUE(best.ok() && Verify(lives, *best).ok()) << seed;
    EXPECT_EQ(best->bound_bytes, 64000u);
    solved += best->slab_bytes == 64000;
    EXPECT_EQ(best->stage == Stage::kSearch, best->search_work > 0) << seed;
  }
  EXPECT_EQ(solved, 40);
  EXPECT_LT(greedy_solved, 40);
}

TEST(Search, RandomGraphsArePlacedRightAndNotBelowTheBound) {
  int stages[3] = {};
  for (uint64_t seed = 0; seed < 10000; ++seed) {
    const auto lives = RandomGraphProblem(seed, 30);
    SearchLimits limits;
    limits.work = 20000;
    const auto best = PlaceBest(lives, limits);
    ASSERT_TRUE(best.ok()) << seed << ": " << best.status().ToString();
    const Status verdict = Verify(lives, *best);
    ASSERT_TRUE(verdict.ok()) << seed << ": " << verdict.ToString();
    ASSERT_EQ(best->bound_bytes, *LowerBound(lives)) << seed;
    ASSERT_GE(best->slab_bytes, best->bound_bytes) << seed;
    ASSERT_LE(best->slab_bytes, PlaceGreedy(lives)->slab_bytes) << seed;
    ++stages[static_cast<int>(best->stage)];
    if (seed % 16 != 0) continue;
    ASSERT_EQ(PlaceBest(lives, limits)->offsets, best->offsets) << seed;
  }
  for (const int count : stages) EXPECT_GT(count, 0);
}

TEST(Search, KeepsToItsLimits) {
  const auto lives = Puzzle(3, 300, 100000, 250);
  SearchLimits limits = ToTheEnd();
  limits.work = 0;
  const auto greedy = PlaceBest(lives, limits);
  EXPECT_EQ(greedy->offsets, PlaceGreedy(lives)->offsets);
  EXPECT_EQ(greedy->search_work, 0u);
  limits.work = 100000;
  const auto some = PlaceBest(lives, limits);
  EXPECT_TRUE(Verify(lives, *some).ok());
  EXPECT_LE(some->slab_bytes, greedy->slab_bytes);
  EXPECT_GE(some->search_work, 100000u);
  EXPECT_LE(some->search_work, 200000u);
  limits.work = UINT64_MAX;
  limits.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(PlaceBest(lives, limits)->search_work, 0u);
}

TEST(Search, StopsAtWhatIsEnough) {
  const auto lives = Puzzle(8, 60, 1000, 70);
  const size_t greedy = PlaceGreedy(lives)->slab_bytes;
  ASSERT_GT(greedy, 64000u * 51 / 50);
  SearchLimits limits;
  limits.enough_bytes = greedy;
  EXPECT_EQ(PlaceBest(lives, limits)->search_work, 0u);
  limits.enough_bytes = greedy - 64;
  EXPECT_LT(PlaceBest(lives, limits)->slab_bytes, greedy);
  EXPECT_EQ(PlaceBest(lives, limits)->stage, Stage::kSearch);
  EXPECT_LE(PlaceBest(lives)->slab_bytes, 64000u * 51 / 50);
}

// Published instances that mixed integer programming does not solve in an hour.
TEST(Search, HardInstancesMeetTheirBoundsInASession) {
  const auto folder = std::filesystem::path(WAYBILL_TEST_DATA) / "minimalloc";
  if (std::string_view(WAYBILL_TEST_DATA).empty() || !std::filesystem::exists(folder)) {
    GTEST_SKIP() << "no extra test data";
  }
  for (const std::string name : {"B", "C", "E", "F", "H", "K"}) {
    std::ifstream file(folder / (name + ".1048576.csv"));
    const auto lives = ReadCsv(std::string(std::istreambuf_iterator<char>(file), {}));
    ASSERT_TRUE(lives.ok()) << name;
    ASSERT_GT(PlaceGreedy(*lives)->slab_bytes, 1048576u) << name;
    const auto best = PlaceBest(*lives);
    ASSERT_TRUE(best.ok() && Verify(*lives, *best).ok()) << name;
    EXPECT_EQ(best->slab_bytes, best->bound_bytes) << name;
    EXPECT_TRUE(best->optimal) << name;
  }
}

TEST(Search, LeavesWhatIsTooLargeToGreed) {
  std::mt19937 random(5);
  std::vector<Lifetime> lives;
  for (uint32_t i = 0; i < 2000; ++i) {
    const auto first = static_cast<uint32_t>(random() % 2000);
    lives.push_back({i, first % 7 == 0 ? first : 0, 2000 + first, 64 + random() % 4096, 64});
  }
  const auto best = PlaceBest(lives, ToTheEnd());
  EXPECT_EQ(best->offsets, PlaceGreedy(lives)->offsets);
  EXPECT_EQ(best->search_work, 0u);
}

TEST(Search, EmptyAndBrokenProblems) {
  EXPECT_EQ(PlaceBest({})->slab_bytes, 0u);
  EXPECT_TRUE(PlaceBest({})->optimal);
  const std::vector<Lifetime> empty = {{0, 0, 3, 0, 64}, {1, 2, 2, 0, 64}};
  EXPECT_EQ(PlaceBest(empty)->offsets.size(), 2u);
  const std::vector<Lifetime> broken = {{5, 2, 1, 8, 64}};
  EXPECT_EQ(PlaceBest(broken).status().code(), Code::kInvalidArgument);
}

TEST(Parts, AreCutWhereNothingIsAlive) {
  const std::vector<Lifetime> lives = {{0, 5, 6, 64, 64},  {1, 0, 1, 64, 64}, {2, 9, 9, 128, 64},
                                       {3, 1, 3, 192, 64}, {4, 6, 6, 64, 64}, {5, 7, 7, 0, 64},
                                       {6, 2, 2, 64, 64},  {7, 3, 4, 64, 64}};
  const auto problem = MakeProblem(lives);
  ASSERT_TRUE(problem.ok());
  const std::vector<Problem> parts = CutAtLines(*problem);
  ASSERT_EQ(parts.size(), 3u);
  // Step 0 is part of step 1, at which more is alive, and 5 of 6.
  EXPECT_EQ(parts[0].step_bytes, std::vector<size_t>({256, 256, 256}));
  EXPECT_EQ(parts[1].step_bytes, std::vector<size_t>({128}));
  EXPECT_EQ(parts[2].step_bytes, std::vector<size_t>({128}));
  ASSERT_EQ(parts[0].items.size(), 4u);
  EXPECT_EQ(problem->items[parts[0].items[1].index].index, 3u);
  EXPECT_EQ(parts[0].items[1].first, 0u);
  EXPECT_EQ(parts[0].items[1].last, 2u);
  EXPECT_EQ(parts[0].items[3].first, 2u);
}

}  // namespace
}  // namespace waybill::plan
