#include "memory/plan/beam_states.h"

#include <algorithm>

namespace waybill::plan {

BeamStates::BeamStates(const OrderCell& cell)
    : cell_(&cell),
      words_((cell.steps().size() + 63) / 64),
      work_(cell.steps().size(), 1),
      begins_(1),
      marked_(cell.steps().size()) {
  for (uint32_t step = 0; step < work_.size(); ++step) {
    for (const uint32_t storage : cell.steps()[step].touches) {
      work_[step] += cell.storages()[storage].touched_by.size();
    }
  }
}

OrderCell::Effect BeamStates::EffectOf(size_t i, ReadyStep& ready) const {
  const size_t live = states_[i].live;
  if (!ready.is_known) {
    const uint64_t* done = done_.data() + i * words_;
    uint64_t work = 0;
    const OrderCell::Effect effect = cell_->EffectOf(
        ready.step, live, [&](uint32_t other) { return Did(done, other); }, work);
    ready.during = static_cast<int64_t>(effect.during - live);
    ready.live = static_cast<int64_t>(effect.live - live);
    ready.is_known = true;
  }
  return {live + static_cast<size_t>(ready.during), live + static_cast<size_t>(ready.live)};
}

void BeamStates::Clear() {
  states_.clear();
  done_.clear();
  begins_.assign(1, 0);
  ready_.clear();
}

void BeamStates::Start(size_t peak) {
  Clear();
  states_.push_back({.live = cell_->live(), .peak = peak});
  done_.resize(words_);
  for (uint32_t step = 0; step < work_.size(); ++step) {
    if (cell_->steps()[step].after.empty()) ready_.push_back({.step = step});
  }
  begins_.push_back(ready_.size());
}

void BeamStates::MarkAround(uint32_t step) {
  if (++mark_ == 0) {
    std::fill(marked_.begin(), marked_.end(), 0u);
    mark_ = 1;
  }
  for (const uint32_t storage : cell_->steps()[step].touches) {
    for (const uint32_t other : cell_->storages()[storage].touched_by) marked_[other] = mark_;
  }
}

void BeamStates::Add(const BeamStates& others, size_t from, uint32_t step, const BeamState& state) {
  states_.push_back(state);
  const uint64_t* was_done = others.done_.data() + from * words_;
  done_.insert(done_.end(), was_done, was_done + words_);
  uint64_t* done = done_.data() + done_.size() - words_;
  done[step / 64] |= uint64_t{1} << (step % 64);
  MarkAround(step);
  for (size_t at = others.begins_[from]; at < others.begins_[from + 1]; ++at) {
    const ReadyStep& ready = others.ready_[at];
    if (ready.step == step) continue;
    ready_.push_back(ready);
    if (marked_[ready.step] == mark_) ready_.back().is_known = false;
  }
  const auto begin = static_cast<std::ptrdiff_t>(begins_.back());
  for (const uint32_t next : cell_->steps()[step].before) {
    const auto& after = cell_->steps()[next].after;
    const auto did = [&](uint32_t other) { return Did(done, other); };
    if (!std::all_of(after.begin(), after.end(), did)) continue;
    const auto comes_later = [](uint32_t number, const ReadyStep& ready) {
      return number < ready.step;
    };
    ready_.insert(std::upper_bound(ready_.begin() + begin, ready_.end(), next, comes_later),
                  {.step = next});
  }
  begins_.push_back(ready_.size());
}

}  // namespace waybill::plan
