#include "memory/plan/search.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace waybill::plan {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Ranks of the items in an order in which each was pushed back by up to a share of them all.
std::vector<uint32_t> ShakenRanks(const std::vector<uint32_t>& order, uint64_t shake) {
  constexpr uint64_t kPushes[] = {32, 8, 64};  // of 1024
  const uint64_t push = shake == 0 ? 0 : order.size() * kPushes[shake % std::size(kPushes)];
  uint64_t random = shake * 0x9E3779B97F4A7C15u;
  std::vector<std::pair<uint64_t, uint32_t>> keyed;
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    keyed.emplace_back(uint64_t{rank} * 1024 + random % (push + 1), order[rank]);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[keyed[rank].second] = rank;
  return ranks;
}

}  // namespace

Search::Search(const Problem& part, const Conflicts& meets, Strategy strategy)
    : part_(part),
      meets_(meets),
      choice_(strategy.choice),
      order_(MakeOrder(part, strategy.order)),
      state_(part, meets) {}

void Search::Restart(size_t capacity, uint64_t shake) {
  rank_ = ShakenRanks(order_, shake);
  frames_.clear();
  components_.clear();
  current_ = {0, static_cast<uint32_t>(part_.step_bytes.size() - 1)};
  impossible_ = !state_.Reset(capacity);
}

Outcome Search::Continue(uint64_t work) {
  const uint64_t start = this->work();
  while (!impossible_ && this->work() - start < work) {
    if (Descend(current_)) {
      if (!NextComponent(current_)) return Outcome::kFound;
    } else {
      impossible_ = !Backtrack(current_);
    }
  }
  return impossible_ ? Outcome::kImpossible : Outcome::kUndecided;
}

// Places the next buffer of a component. False: that can not lead anywhere.
bool Search::Descend(Steps component) {
  const uint32_t item = Choose(component);
  frames_.push_back({item, component, state_.mark(), components_.size(), components_.size()});
  if (!state_.Place(item, component)) return false;
  Split(component);
  return true;
}

// False when there is none left: all is placed.
bool Search::NextComponent(Steps& component) {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next < components_.size()) {
      component = components_[frame.next++];
      return true;
    }
    components_.resize(frame.components_begin);
    frames_.pop_back();
  }
  return false;
}

// Takes back the last placement that still has an alternative. False when there is none left.
bool Search::Backtrack(Steps& component) {
  while (!frames_.empty()) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    components_.resize(frame.components_begin);
    state_.Undo(frame.mark);
    if (state_.Delay(frame.item, frame.component)) {
      component = frame.component;
      return true;
    }
  }
  return false;
}

// Appends what is left of a component, the fullest first: it fails soonest.
void Search::Split(Steps component) {
  const size_t begin = components_.size();
  const uint32_t end = state_.end(component);
  for (uint32_t i = state_.begin(component); i < end; i = state_.next(i)) {
    ++own_work_;
    const Item& item = part_.items[i];
    if (components_.size() == begin || item.first > components_.back().last) {
      components_.push_back({item.first, item.last});
    } else {
      components_.back().last = std::max(components_.back().last, item.last);
    }
  }
  if (components_.size() - begin < 2) return;
  const auto need = [this](Steps steps) {
    size_t most = 0;
    for (uint32_t step = steps.first; step <= steps.last; ++step) {
      most = std::max(most, state_.step_need(step));
    }
    return most;
  };
  std::stable_sort(components_.begin() + static_cast<ptrdiff_t>(begin), components_.end(),
                   [&](Steps a, Steps b) { return need(a) > need(b); });
}

uint32_t Search::Choose(Steps component) {
  return choice_ == Choice::kLowest ? ChooseLowest(component) : ChooseTightest(component);
}

bool Search::Before(uint32_t a, uint32_t b) const {
  const size_t low_a = state_.lowest(a);
  const size_t low_b = state_.lowest(b);
  return low_a != low_b ? low_a < low_b : rank_[a] < rank_[b];
}

uint32_t Search::ChooseLowest(Steps component) {
  const uint32_t end = state_.end(component);
  uint32_t best = kNone;
  for (uint32_t i = state_.begin(component); i < end; i = state_.next(i)) {
    ++own_work_;
    if (best == kNone || Before(i, best)) best = i;
  }
  return best;
}

uint32_t Search::LowestOf(std::span<const uint32_t> items) const {
  uint32_t best = kNone;
  for (const uint32_t item : items) {
    if (!state_.placed(item) && (best == kNone || Before(item, best))) best = item;
  }
  return best;
}

uint32_t Search::ChooseTightest(Steps component) {
  uint32_t fullest = component.first;
  for (uint32_t step = component.first + 1; step <= component.last; ++step) {
    if (state_.step_need(step) > state_.step_need(fullest)) fullest = step;
  }
  own_work_ += component.last - component.first + state_.unplaced(fullest).size();
  uint32_t item = LowestOf(state_.unplaced(fullest));
  // Only one that lies lowest among those that it meets may be decided.
  for (;;) {
    own_work_ += meets_.of(item).size();
    const uint32_t lower = LowestOf(meets_.of(item));
    if (lower == kNone || state_.lowest(lower) >= state_.lowest(item)) return item;
    item = lower;
  }
}

}  // namespace waybill::plan
