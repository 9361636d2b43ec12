#include "memory/plan/search_state.h"

#include <algorithm>

#include "base/math/checked.h"

namespace waybill::plan {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr SearchState::Steps kNoSteps = {UINT32_MAX, 0};

// For each item the next one of the same lifetime, size and alignment.
std::vector<uint32_t> FindTwins(const Problem& part) {
  std::vector<uint32_t> next(part.items.size(), kNone);
  for (uint32_t i = 0; i < next.size(); ++i) {
    const Item& a = part.items[i];
    for (uint32_t j = i + 1; j < next.size() && part.items[j].first == a.first; ++j) {
      const Item& b = part.items[j];
      if (b.last == a.last && b.bytes == a.bytes && b.align == a.align) {
        next[i] = j;
        break;
      }
    }
  }
  return next;
}

}  // namespace

SearchState::SearchState(const Problem& part, const Conflicts& meets)
    : part_(part),
      meets_(meets),
      items_(static_cast<uint32_t>(part.items.size())),
      touched_(kNoSteps) {
  const size_t items = items_;
  const size_t steps = part.step_bytes.size();
  values_.resize(5 * items + 2 + 2 * steps);
  low_ = values_.data();
  left_ = low_ + items;
  below_ = left_ + items;
  next_ = below_ + items;
  previous_ = next_ + items + 1;
  need_ = previous_ + items + 1;
  unplaced_ = need_ + steps;
  blocker_.resize(items);
  offsets_.resize(items);
  next_twin_ = FindTwins(part);
  first_item_.assign(steps + 1, 0);
  alive_begin_.assign(steps + 1, 0);
  for (const Item& item : part.items) {
    ++first_item_[item.first + 1];
    for (uint32_t step = item.first; step <= item.last; ++step) ++alive_begin_[step + 1];
  }
  for (size_t step = 0; step < steps; ++step) {
    first_item_[step + 1] += first_item_[step];
    alive_begin_[step + 1] += alive_begin_[step];
  }
  alive_.resize(alive_begin_.back());
  std::vector<uint32_t> next(alive_begin_.begin(), alive_begin_.end() - 1);
  for (uint32_t i = 0; i < items; ++i) {
    for (uint32_t step = part.items[i].first; step <= part.items[i].last; ++step) {
      alive_[next[step]++] = i;
    }
  }
}

bool SearchState::Reset(size_t capacity) {
  capacity_ = capacity;
  trail_.clear();
  std::fill(values_.begin(), values_.end(), 0);
  for (uint32_t i = 0; i < part_.items.size(); ++i) {
    left_[i] = part_.items[i].bytes;
    if (left_[i] > capacity) return false;
  }
  for (uint32_t i = 0; i <= items_; ++i) {
    next_[i] = i < items_ ? i + 1 : 0;
    previous_[i] = i > 0 ? i - 1 : items_;
  }
  for (uint32_t i = 0; i < part_.items.size(); ++i) {
    if (next_twin_[i] == kNone) continue;
    if (!Raise(next_twin_[i], low_[i] + part_.items[i].bytes)) return false;
  }
  const auto steps = static_cast<uint32_t>(part_.step_bytes.size());
  for (uint32_t step = 0; step < steps; ++step) {
    unplaced_[step] = alive_begin_[step + 1] - alive_begin_[step];
  }
  touched_ = {0, steps - 1};
  return CheckSteps();
}

void SearchState::Undo(size_t mark) {
  while (trail_.size() > mark) {
    values_[trail_.back().slot] = trail_.back().old;
    trail_.pop_back();
  }
}

void SearchState::Set(size_t* value, size_t now) {
  trail_.push_back({static_cast<size_t>(value - values_.data()), *value});
  *value = now;
}

void SearchState::Touch(uint32_t first, uint32_t last) {
  touched_.first = std::min(touched_.first, first);
  touched_.last = std::max(touched_.last, last);
}

bool SearchState::Raise(uint32_t item, size_t offset) {
  for (;;) {
    const Item& raised = part_.items[item];
    offset = AlignUp(offset, raised.align);
    if (offset <= low_[item]) return true;
    if (offset + raised.bytes > capacity_) return false;
    Set(&low_[item], offset);
    Touch(raised.first, raised.last);
    offset += raised.bytes;
    item = next_twin_[item];
    if (item == kNone || placed(item)) return true;
  }
}

bool SearchState::Place(uint32_t item, Steps steps) {
  const Item& placing = part_.items[item];
  const size_t offset = low_[item];
  const size_t top = offset + placing.bytes;
  offsets_[item] = offset;
  Set(&left_[item], 0);
  Set(&next_[previous_[item]], next_[item]);
  Set(&previous_[next_[item]], previous_[item]);
  if (below_[item] != 0) Set(&below_[item], 0);
  const auto neighbours = meets_.of(item);
  work_ += neighbours.size();
  touched_ = {placing.first, placing.last};
  for (const uint32_t other : neighbours) {
    if (placed(other)) continue;
    if (offset < below_[other]) Set(&below_[other], 0);
    if (low_[other] < top && !Raise(other, top)) return false;
  }
  return Conclude(steps);
}

bool SearchState::Delay(uint32_t item, Steps steps) {
  touched_ = kNoSteps;
  Set(&below_[item], low_[item] + part_.items[item].bytes);
  return FindBlocker(item) && Conclude(steps);
}

bool SearchState::IsBlocker(uint32_t item, uint32_t other) const {
  return !placed(other) && low_[other] < below_[item];
}

// `item` lies above one of its possible blockers, so at least above the lowest top of them.
bool SearchState::FindBlocker(uint32_t item) {
  size_t lowest_top = SIZE_MAX;
  const auto neighbours = meets_.of(item);
  work_ += neighbours.size();
  for (const uint32_t other : neighbours) {
    if (!IsBlocker(item, other)) continue;
    const size_t top = low_[other] + part_.items[other].bytes;
    if (top < lowest_top) {
      lowest_top = top;
      blocker_[item] = other;
    }
  }
  return lowest_top != SIZE_MAX && Raise(item, lowest_top);
}

bool SearchState::Conclude(Steps steps) {
  const uint32_t end = this->end(steps);
  while (touched_.first <= touched_.last) {
    if (!CheckSteps()) return false;
    for (uint32_t item = begin(steps); item < end; item = next(item)) {
      ++work_;
      if (below_[item] == 0) continue;
      const uint32_t known = blocker_[item];
      if (IsBlocker(item, known) && low_[known] + part_.items[known].bytes <= low_[item]) continue;
      if (!FindBlocker(item)) return false;
    }
  }
  return true;
}

bool SearchState::CheckSteps() {
  const Steps steps = touched_;
  touched_ = kNoSteps;
  // What failed last time is the likeliest to fail again.
  if (steps.first <= suspect_ && suspect_ <= steps.last && !CheckStep(suspect_)) return false;
  for (uint32_t step = steps.first; step <= steps.last; ++step) {
    if (CheckStep(step)) continue;
    suspect_ = step;
    return false;
  }
  return true;
}

// The buffers of a step lie above one another. For any offset o, those that can not begin below o
// need all their bytes above it. Goes through them from the highest lowest offset downwards.
bool SearchState::CheckStep(uint32_t step) {
  uint32_t* const items = alive_.data() + alive_begin_[step];
  const size_t before = unplaced_[step];
  size_t count = before;
  // Almost sorted from last time. What was placed since goes behind the others, where it is found
  // again when the count is taken back.
  for (size_t i = 0; i < count;) {
    const uint32_t item = items[i];
    if (placed(item)) {
      items[i] = items[--count];
      items[count] = item;
      continue;
    }
    const size_t low = low_[item];
    size_t at = i;
    for (; at > 0 && low_[items[at - 1]] < low; --at) items[at] = items[at - 1];
    items[at] = item;
    work_ += i - at;
    ++i;
  }
  work_ += before;
  if (count != before) Set(&unplaced_[step], count);
  size_t sum = 0;
  size_t need = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += left_[items[i]];
    need = std::max(need, low_[items[i]] + sum);
  }
  if (need > capacity_) return false;
  if (need != need_[step]) Set(&need_[step], need);
  return true;
}

}  // namespace waybill::plan
