#include "memory/plan/problem.h"

#include <algorithm>
#include <cstdint>

#include "base/math/checked.h"

namespace waybill::plan {
namespace {

Status CheckLifetimes(std::span<const Lifetime> lives) {
  if (lives.size() > UINT32_MAX / 2) {
    return Error(Code::kInvalidArgument, "{} lifetimes are too many", lives.size());
  }
  std::vector<uint32_t> ids;
  ids.reserve(lives.size());
  for (const Lifetime& life : lives) {
    if (life.last_step < life.first_step) {
      return Error(Code::kInvalidArgument, "buffer {} ends at step {} before its start at {}",
                   life.id, life.last_step, life.first_step);
    }
    if (!IsPowerOfTwo(life.align)) {
      return Error(Code::kInvalidArgument, "buffer {} has alignment {}, no power of two", life.id,
                   life.align);
    }
    ids.push_back(life.id);
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return Error(Code::kInvalidArgument, "two buffers have id {}", *twice);
  }
  return {};
}

// The room that any placement here can reach, padding included, must stay a valid object size.
Status AddRoom(const Lifetime& life, size_t& room, size_t& rounded) {
  const auto size = CheckedAlignUp(life.bytes, life.align);
  const auto padded = size ? CheckedAdd(*size, life.align) : std::nullopt;
  const auto sum = padded ? CheckedAdd(room, *padded) : std::nullopt;
  if (!sum || *sum > static_cast<size_t>(PTRDIFF_MAX)) {
    return Error(Code::kInvalidArgument, "the sizes overflow at buffer {} of {} bytes", life.id,
                 life.bytes);
  }
  room = *sum;
  rounded = *size;
  return {};
}

// Calls visit(a, b) for every pair of items that meet, until it returns false.
template <typename Visit>
void ForEachMeeting(const Problem& problem, Visit visit) {
  std::vector<uint32_t> by_first(problem.items.size());
  for (uint32_t i = 0; i < by_first.size(); ++i) by_first[i] = i;
  std::stable_sort(by_first.begin(), by_first.end(), [&](uint32_t a, uint32_t b) {
    return problem.items[a].first < problem.items[b].first;
  });
  std::vector<uint32_t> alive;
  for (const uint32_t next : by_first) {
    const uint32_t now = problem.items[next].first;
    std::erase_if(alive, [&](uint32_t other) { return problem.items[other].last < now; });
    for (const uint32_t other : alive) {
      if (!visit(other, next)) return;
    }
    alive.push_back(next);
  }
}

}  // namespace

Result<Problem> MakeProblem(std::span<const Lifetime> lives) {
  WB_RETURN_IF_ERROR(CheckLifetimes(lives));
  Problem problem;
  problem.lifetime_count = lives.size();
  problem.items.reserve(lives.size());
  std::vector<uint32_t> starts;
  size_t room = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    Item item;
    WB_RETURN_IF_ERROR(AddRoom(lives[i], room, item.bytes));
    if (item.bytes == 0) continue;
    item.index = static_cast<uint32_t>(i);
    item.align = lives[i].align;
    problem.items.push_back(item);
    starts.push_back(lives[i].first_step);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const auto renumber = [&starts](uint32_t step) {
    return static_cast<uint32_t>(std::upper_bound(starts.begin(), starts.end(), step) -
                                 starts.begin() - 1);
  };
  for (Item& item : problem.items) {
    item.first = renumber(lives[item.index].first_step);
    item.last = renumber(lives[item.index].last_step);
  }
  SumSteps(problem, starts.size());
  return problem;
}

Placement MakePlacement(const Problem& problem, const std::vector<size_t>& offsets, size_t slab) {
  Placement placement;
  placement.offsets.assign(problem.lifetime_count, 0);
  placement.slab_bytes = slab;
  for (size_t i = 0; i < offsets.size(); ++i) {
    placement.offsets[problem.items[i].index] = offsets[i];
  }
  return placement;
}

size_t Stack(const Problem& problem, std::vector<size_t>& offsets) {
  size_t slab = 0;
  offsets.clear();
  for (const Item& item : problem.items) {
    offsets.push_back(AlignUp(slab, item.align));
    slab = offsets.back() + item.bytes;
  }
  return slab;
}

void SumSteps(Problem& problem, size_t step_count) {
  // Adding at the start and subtracting after the end wraps around zero harmlessly.
  problem.step_bytes.assign(step_count + 1, 0);
  for (const Item& item : problem.items) {
    problem.step_bytes[item.first] += item.bytes;
    problem.step_bytes[item.last + 1] -= item.bytes;
    problem.total_bytes += item.bytes;
  }
  size_t alive = 0;
  for (size_t& bytes : problem.step_bytes) {
    alive += bytes;
    bytes = alive;
    problem.bound = std::max(problem.bound, alive);
  }
  problem.step_bytes.pop_back();
}

size_t CountConflicts(const Problem& problem, size_t limit) {
  size_t count = 0;
  ForEachMeeting(problem, [&](uint32_t, uint32_t) { return ++count < limit; });
  return count;
}

Conflicts FindConflicts(const Problem& problem) {
  Conflicts conflicts;
  conflicts.begin.assign(problem.items.size() + 1, 0);
  ForEachMeeting(problem, [&](uint32_t a, uint32_t b) {
    ++conflicts.begin[a + 1];
    ++conflicts.begin[b + 1];
    return true;
  });
  for (size_t i = 1; i < conflicts.begin.size(); ++i) conflicts.begin[i] += conflicts.begin[i - 1];
  conflicts.list.resize(conflicts.begin.back());
  std::vector<size_t> next(conflicts.begin.begin(), conflicts.begin.end() - 1);
  ForEachMeeting(problem, [&](uint32_t a, uint32_t b) {
    conflicts.list[next[a]++] = b;
    conflicts.list[next[b]++] = a;
    return true;
  });
  return conflicts;
}

}  // namespace waybill::plan
