// The greedy placers behind PlaceGreedy, for those that go on from their answer.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/plan/problem.h"

namespace waybill::plan {

struct GreedyAnswer {
  std::vector<size_t> offsets;  // per item of the problem
  size_t slab = 0;
  bool moved = false;  // by local moves, after the portfolio
};

// Best of the portfolio and of local moves from there. Deterministic.
GreedyAnswer SolveGreedily(const Problem& problem);

}  // namespace waybill::plan
