// Searches in one part of a problem, with several strategies side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "memory/plan/problem.h"
#include "memory/plan/search.h"

namespace waybill::plan {

// Not thread-safe. The solver refers to itself and stays where it is.
class PartSolver {
 public:
  // Starts from the offsets per item of the whole problem, which `part` is one of.
  PartSolver(Problem part, const std::vector<size_t>& offsets);
  PartSolver(const PartSolver&) = delete;
  PartSolver& operator=(const PartSolver&) = delete;

  // Too many buffers meet for a search to make sense.
  bool searchable() const { return searchable_; }
  // The slab that the best offsets need.
  size_t slab() const { return slab_; }

  // Looks for offsets within `capacity` < slab(), which then are the best, in that many turns of
  // its searches; ends before when `work_left` is used up, or when stop(), asked before each turn,
  // says so.
  Outcome Try(size_t capacity, uint64_t turns, uint64_t& work_left,
              const std::function<bool()>& stop);

  // Writes the best offsets to those of the whole problem.
  void WriteTo(std::vector<size_t>& offsets) const;

 private:
  Outcome TakeTurn(uint64_t turn, size_t capacity, uint64_t& work_left);
  void Keep(const std::vector<size_t>& offsets);

  Problem part_;
  Conflicts meets_;
  bool searchable_ = false;
  std::vector<size_t> offsets_;
  size_t slab_ = 0;
  // Two of each strategy, once needed: one that goes on, and one that starts anew in each turn.
  std::vector<std::unique_ptr<Search>> searches_;
  uint64_t shake_ = 0;
};

}  // namespace waybill::plan
