#include "memory/plan/parts.h"

#include <algorithm>
#include <numeric>

namespace waybill::plan {
namespace {

// New number of every step. A step at which nothing ends is part of the next one: all that is alive
// then still is.
std::vector<uint32_t> MergeSteps(const Problem& problem) {
  std::vector<char> ends(problem.step_bytes.size(), false);
  for (const Item& item : problem.items) ends[item.last] = true;
  std::vector<uint32_t> merged(ends.size());
  uint32_t next = 0;
  for (size_t step = 0; step < ends.size(); ++step) {
    merged[step] = next;
    if (ends[step]) ++next;
  }
  return merged;
}

void FinishPart(Problem& part) {
  const uint32_t origin = part.items.front().first;
  uint32_t end = 0;
  for (Item& item : part.items) {
    item.first -= origin;
    item.last -= origin;
    end = std::max(end, item.last + 1);
  }
  part.lifetime_count = part.items.size();
  SumSteps(part, end);
}

}  // namespace

std::vector<Problem> CutAtLines(const Problem& problem) {
  const std::vector<uint32_t> merged = MergeSteps(problem);
  std::vector<uint32_t> by_first(problem.items.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  std::stable_sort(by_first.begin(), by_first.end(), [&](uint32_t a, uint32_t b) {
    return problem.items[a].first < problem.items[b].first;
  });
  std::vector<Problem> parts;
  uint32_t reach = 0;  // last step of the current part
  for (const uint32_t index : by_first) {
    Item item = problem.items[index];
    item.index = index;
    item.first = merged[item.first];
    item.last = merged[item.last];
    if (parts.empty() || item.first > reach) parts.emplace_back();
    reach = std::max(reach, item.last);
    parts.back().items.push_back(item);
  }
  for (Problem& part : parts) FinishPart(part);
  return parts;
}

}  // namespace waybill::plan
