// Problems of orders, for tests and benchmarks. The same arguments give the same problem with every
// standard library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "memory/plan/order.h"

namespace waybill::plan {

// A problem step by step, each of which makes one storage.
class OrderWriter {
 public:
  // Returns the storage, whose number is the step's. `in_place`: where one of `reads` ends here.
  uint32_t Step(std::span<const uint32_t> reads, size_t bytes, bool in_place = false,
                size_t scratch_bytes = 0) {
    const auto id = static_cast<uint32_t>(problem_.storages.size());
    OrderStep step;
    for (const uint32_t read : reads) {
      if (std::find(step.after.begin(), step.after.end(), read) != step.after.end()) continue;
      step.after.push_back(read);
      step.touches.push_back(read);
      if (in_place) step.in_place.push_back({id, read});
    }
    step.touches.push_back(id);
    step.scratch_bytes = scratch_bytes;
    problem_.steps.push_back(std::move(step));
    problem_.storages.push_back({bytes, false});
    return id;
  }
  uint32_t Step(std::initializer_list<uint32_t> reads, size_t bytes, bool in_place = false,
                size_t scratch_bytes = 0) {
    return Step(std::span(reads.begin(), reads.size()), bytes, in_place, scratch_bytes);
  }
  OrderProblem& problem() { return problem_; }

 private:
  OrderProblem problem_;
};

// Each step reads one to three of those before, mostly recent ones; sizes of few kinds; now and
// then scratch, a storage that is kept, one made in place, or a fixed step.
inline OrderProblem RandomOrderProblem(uint64_t seed, uint32_t steps) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t n) { return random() % n; };
  const uint64_t reach = 2 + below(8);
  const bool with_fixed = below(4) == 0;
  OrderWriter writer;
  for (uint32_t id = 0; id < steps; ++id) {
    std::vector<uint32_t> reads;
    for (uint64_t read = below(8) == 0 ? 0 : 1 + below(3); read > 0 && id > 0; --read) {
      const uint64_t back = below(8) == 0 ? id : std::min<uint64_t>(reach, id);
      reads.push_back(static_cast<uint32_t>(id - 1 - below(back)));
    }
    writer.Step(reads, 64 * (uint64_t{1} << below(7)), below(3) == 0,
                below(4) == 0 ? 64 * below(40) : 0);
    writer.problem().storages.back().kept = below(16) == 0;
    writer.problem().steps.back().fixed = with_fixed && below(6) == 0;
  }
  return std::move(writer.problem());
}

// Cells one after the other: from one value, `branches` branches of `length` steps that first widen
// to `wide` bytes and end in `narrow` ones, level by level as files have them, joined again.
inline OrderProblem BranchedOrderProblem(uint32_t cells, uint32_t branches, uint32_t length,
                                         size_t wide, size_t narrow) {
  OrderWriter writer;
  uint32_t value = writer.Step({}, narrow);
  for (uint32_t cell = 0; cell < cells; ++cell) {
    std::vector<uint32_t> ends(branches, value);
    for (uint32_t level = 0; level < length; ++level) {
      for (uint32_t& end : ends) end = writer.Step({end}, level + 1 == length ? narrow : wide);
    }
    value = writer.Step(ends, narrow);
  }
  return std::move(writer.problem());
}

// Cells in the manner of a found architecture: each of five blocks adds two values that are made of
// earlier ones, of either of the two cells before or of blocks, by two steps each; what no block
// reads is concatenated. All first halves come before all second ones.
inline OrderProblem SearchedOrderProblem(uint64_t seed, uint32_t cells, size_t bytes) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t n) { return random() % n; };
  OrderWriter writer;
  uint32_t older = writer.Step({}, bytes), newer = writer.Step({older}, bytes);
  for (uint32_t cell = 0; cell < cells; ++cell) {
    const uint32_t in_a = writer.Step({older}, bytes), in_b = writer.Step({newer}, bytes);
    std::vector<uint32_t> halves;
    for (int i = 0; i < 10; ++i) {
      halves.push_back(writer.Step({below(2) == 0 ? in_a : in_b}, bytes * (1 + below(6))));
    }
    std::vector<uint32_t> blocks;
    for (size_t i = 0; i < halves.size(); i += 2) {
      const uint32_t a = writer.Step({halves[i]}, bytes), b = writer.Step({halves[i + 1]}, bytes);
      blocks.push_back(writer.Step({a, b}, bytes, true));
    }
    older = newer;
    newer = writer.Step(blocks, 5 * bytes);
    newer = writer.Step({newer}, bytes);
  }
  return std::move(writer.problem());
}

}  // namespace waybill::plan
