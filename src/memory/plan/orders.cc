#include "memory/plan/orders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace waybill::plan {
namespace {

// Compared from the left, larger first; equal keys keep the caller's order.
using Key = std::array<uint64_t, 3>;

uint64_t Descending(uint64_t value) { return value; }
uint64_t Ascending(uint64_t value) { return ~value; }

// Saturating product: sizes are below 2^63, so only long-lived giants meet the limit.
uint64_t Product(uint64_t a, uint64_t b) {
  uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

// Largest step_bytes over [first, last] for every item, from a sparse table.
std::vector<uint64_t> Contentions(const Problem& problem) {
  std::vector<std::vector<size_t>> table{problem.step_bytes};
  for (size_t width = 1; 2 * width <= problem.step_bytes.size(); width *= 2) {
    const std::vector<size_t>& below = table.back();
    std::vector<size_t> level(below.size() - width);
    for (size_t i = 0; i < level.size(); ++i) level[i] = std::max(below[i], below[i + width]);
    table.push_back(std::move(level));
  }
  std::vector<uint64_t> out;
  out.reserve(problem.items.size());
  for (const Item& item : problem.items) {
    const size_t length = item.last - item.first + 1;
    const auto level = static_cast<size_t>(std::bit_width(length)) - 1;
    const size_t width = size_t{1} << level;
    out.push_back(std::max(table[level][item.first], table[level][item.last + 1 - width]));
  }
  return out;
}

// Bytes met, summed over steps: a cheap stand-in for the sum over neighbours.
std::vector<uint64_t> BytesMet(const Problem& problem) {
  std::vector<uint64_t> sums(problem.step_bytes.size() + 1, 0);
  for (size_t i = 0; i < problem.step_bytes.size(); ++i) {
    // In KiB, so that the sum over all steps can not wrap.
    sums[i + 1] = sums[i] + (problem.step_bytes[i] >> 10);
  }
  std::vector<uint64_t> out;
  for (const Item& item : problem.items) out.push_back(sums[item.last + 1] - sums[item.first]);
  return out;
}

uint32_t FullestStep(const Problem& problem) {
  const auto fullest = std::max_element(problem.step_bytes.begin(), problem.step_bytes.end());
  return static_cast<uint32_t>(fullest - problem.step_bytes.begin());
}

// For each item the rank of the fullest step it is alive at.
std::vector<uint64_t> BreadthRanks(const Problem& problem) {
  std::vector<uint32_t> steps(problem.step_bytes.size());
  std::iota(steps.begin(), steps.end(), 0);
  std::stable_sort(steps.begin(), steps.end(), [&](uint32_t a, uint32_t b) {
    return problem.step_bytes[a] > problem.step_bytes[b];
  });
  Problem ranked;
  ranked.items = problem.items;
  ranked.step_bytes.resize(steps.size());
  for (size_t rank = 0; rank < steps.size(); ++rank) {
    ranked.step_bytes[steps[rank]] = steps.size() - rank;
  }
  return Contentions(ranked);
}

Key KeyOf(const Problem& problem, Order order, uint32_t i, const std::vector<uint64_t>& extra) {
  const Item& item = problem.items[i];
  const uint64_t bytes = item.bytes;
  const uint64_t life = item.last - item.first + 1;
  switch (order) {
    case Order::kSize:
      return {bytes, life, Ascending(item.first)};
    case Order::kContention:
    case Order::kStepBreadth:
      return {extra[i], bytes, life};
    case Order::kContentionLife:
      return {extra[i], life, bytes};
    case Order::kContentionArea:
      return {extra[i], Product(bytes, life), life};
    case Order::kArea:
      return {Product(bytes, life), bytes, Ascending(item.first)};
    case Order::kLifetime:
      return {life, bytes, Ascending(item.first)};
    case Order::kFirstStep:
      return {Ascending(item.first), bytes, life};
    case Order::kLastStep:
      return {Ascending(item.last), bytes, life};
    case Order::kFirstStepBack:
      return {Descending(item.first), bytes, life};
    case Order::kLastStepBack:
      return {Descending(item.last), bytes, life};
    case Order::kNeighbours:
      return {extra[i], bytes, Ascending(item.first)};
    case Order::kSizeLate:
      return {bytes, Descending(item.first), life};
    case Order::kDensity:
      return {bytes / life, bytes, Ascending(item.first)};
    case Order::kFromPeak:
      return {Ascending(extra[i]), bytes, life};
  }
  return {};
}

std::vector<uint64_t> ExtraKeys(const Problem& problem, Order order) {
  switch (order) {
    case Order::kContention:
    case Order::kContentionLife:
    case Order::kContentionArea:
      return Contentions(problem);
    case Order::kStepBreadth:
      return BreadthRanks(problem);
    case Order::kNeighbours:
      return BytesMet(problem);
    case Order::kFromPeak: {
      const uint32_t peak = FullestStep(problem);
      std::vector<uint64_t> distance;
      for (const Item& item : problem.items) {
        distance.push_back(item.first > peak  ? item.first - peak
                           : item.last < peak ? peak - item.last
                                              : 0);
      }
      return distance;
    }
    default:
      return {};
  }
}

}  // namespace

std::vector<uint32_t> MakeOrder(const Problem& problem, Order order) {
  const std::vector<uint64_t> extra = ExtraKeys(problem, order);
  std::vector<std::pair<Key, uint32_t>> keyed;
  keyed.reserve(problem.items.size());
  for (uint32_t i = 0; i < problem.items.size(); ++i) {
    keyed.emplace_back(KeyOf(problem, order, i, extra), i);
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<uint32_t> out;
  out.reserve(keyed.size());
  for (const auto& [key, item] : keyed) out.push_back(item);
  return out;
}

}  // namespace waybill::plan
