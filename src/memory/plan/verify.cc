#include <algorithm>
#include <map>
#include <queue>

#include "memory/plan/lifetime.h"

namespace waybill::plan {
namespace {

std::string Describe(const Lifetime& life, size_t offset) {
  return Format("buffer {} (steps {}..{}, bytes {}..{})", life.id, life.first_step, life.last_step,
                offset, offset + life.bytes);
}

// Each buffer for itself: on its alignment and inside the slab.
Status VerifyAlone(const Lifetime& life, size_t offset, size_t slab_bytes) {
  if (life.bytes == 0) return {};
  if (life.last_step < life.first_step) {
    return Error(Code::kInternal, "buffer {} ends before it starts", life.id);
  }
  if (offset > slab_bytes || life.bytes > slab_bytes - offset) {
    return Error(Code::kInternal, "buffer {} of {} bytes at offset {} leaves the slab of {} bytes",
                 life.id, life.bytes, offset, slab_bytes);
  }
  if (life.align == 0 || offset % life.align != 0) {
    return Error(Code::kInternal, "{} is not aligned to {}", Describe(life, offset), life.align);
  }
  return {};
}

}  // namespace

Status Verify(std::span<const Lifetime> lives, const Placement& placement) {
  if (placement.offsets.size() != lives.size()) {
    return Error(Code::kInternal, "{} offsets for {} buffers", placement.offsets.size(),
                 lives.size());
  }
  std::vector<size_t> by_start;
  for (size_t i = 0; i < lives.size(); ++i) {
    WB_RETURN_IF_ERROR(VerifyAlone(lives[i], placement.offsets[i], placement.slab_bytes));
    if (lives[i].bytes != 0) by_start.push_back(i);
  }
  std::sort(by_start.begin(), by_start.end(),
            [&](size_t a, size_t b) { return lives[a].first_step < lives[b].first_step; });
  // Goes through time with the buffers alive now ordered by offset. They are disjoint, so a new one
  // can only collide with its two neighbours.
  std::map<size_t, size_t> alive;  // offset to index
  using End = std::pair<uint32_t, size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (const size_t now : by_start) {
    while (!ends.empty() && ends.top().first < lives[now].first_step) {
      alive.erase(placement.offsets[ends.top().second]);
      ends.pop();
    }
    const size_t offset = placement.offsets[now];
    const auto above = alive.lower_bound(offset);
    const auto clash = [&](size_t other) {
      return Error(Code::kInternal, "{} and {} overlap",
                   Describe(lives[other], placement.offsets[other]), Describe(lives[now], offset));
    };
    if (above != alive.end() && above->first < offset + lives[now].bytes) {
      return clash(above->second);
    }
    if (above != alive.begin()) {
      const auto below = std::prev(above);
      if (below->first + lives[below->second].bytes > offset) return clash(below->second);
    }
    alive.emplace(offset, now);
    ends.emplace(lives[now].last_step, now);
  }
  return {};
}

}  // namespace waybill::plan
