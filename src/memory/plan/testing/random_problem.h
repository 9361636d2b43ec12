// Planning problems by the million, for tests and benchmarks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "memory/plan/lifetime.h"

namespace waybill::plan {

// The lifetimes of a random graph of up to `max_steps` steps: each step writes a value or two and
// reads some of those before, mostly recent ones; now and then scratch, a value that nobody reads,
// or one that lives to the end. Sizes from 0 to a mebibyte, in about half of the graphs of few
// kinds; alignments all equal or mixed. The same seed gives the same problem with every standard
// library.
inline std::vector<Lifetime> RandomGraphProblem(uint64_t seed, uint32_t max_steps) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t n) { return random() % n; };
  const auto steps = static_cast<uint32_t>(1 + below(max_steps));
  const uint64_t reach = 1 + below(8);  // how far back a step reads
  const bool few_sizes = below(2) == 0;
  const bool mixed_align = below(3) == 0;
  const uint64_t unit = uint64_t{1} << below(12);
  std::vector<Lifetime> lives;
  const auto add = [&](uint32_t step) {
    Lifetime life;
    life.id = static_cast<uint32_t>(3 * lives.size() + 1);
    life.first_step = life.last_step = step;
    life.bytes = few_sizes ? unit * below(9) : below(uint64_t{1} << (1 + below(20)));
    if (below(16) == 0) life.bytes = 0;
    life.align = mixed_align ? size_t{1} << below(13) : 64;
    lives.push_back(life);
  };
  for (uint32_t step = 0; step < steps; ++step) {
    const uint64_t reads = below(4);
    for (uint64_t read = 0; read < reads && !lives.empty(); ++read) {
      const uint64_t back = below(16) == 0 ? lives.size() : reach;
      lives[lives.size() - 1 - below(std::min<uint64_t>(back, lives.size()))].last_step = step;
    }
    for (uint64_t write = 1 + below(2); write > 0; --write) add(step);
    if (below(4) == 0) add(step);
    if (below(32) == 0) lives.back().last_step = steps;
  }
  for (size_t i = lives.size(); i > 1; --i) std::swap(lives[i - 1], lives[below(i)]);
  return lives;
}

}  // namespace waybill::plan
