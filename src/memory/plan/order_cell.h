// A stretch of steps that all others come before or behind, as a problem of its own. For order.h
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/plan/order.h"

namespace waybill::plan {

// Steps and storages are numbered from 0 here, steps in the given order. Storages that no step of
// the cell touches are not among them.
class OrderCell {
 public:
  struct Storage {
    size_t bytes = 0;
    bool before = false, behind = false;  // alive when the cell begins, when it ends
    std::vector<uint32_t> touched_by;
  };
  struct Step {
    std::vector<uint32_t> after, before;  // direct ones within the cell
    std::vector<uint32_t> touches;
    std::vector<OrderStep::InPlace> in_place;
    size_t scratch_bytes = 0;
  };
  // What is alive while a step is done, and then.
  struct Effect {
    size_t during = 0, live = 0;
  };

  // The steps [begin, end) of the problem, with `live` bytes alive when they begin. `first` and
  // `last` are the steps of the problem that touch a storage first and last, in the given order.
  OrderCell(const OrderProblem& problem, uint32_t begin, uint32_t end, size_t live,
            std::span<const uint32_t> first, std::span<const uint32_t> last);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Storage>& storages() const { return storages_; }
  size_t live() const { return live_; }
  // No order of the cell needs less.
  size_t floor() const { return floor_; }

  // Of a step that is done after those of which `done(step)` is true. Adds the elementary steps
  // that finding out takes to `work`.
  template <typename Done>
  Effect EffectOf(uint32_t step, size_t live, Done&& done, uint64_t& work) const;
  // Likewise for all of them.
  size_t PeakOf(std::span<const uint32_t> order, uint64_t& work) const;

 private:
  template <typename Done>
  static bool Starts(const Storage& storage, Done&& done);
  template <typename Done>
  static bool Ends(const Storage& storage, uint32_t at, Done&& done);
  void FindFloor();

  std::vector<Step> steps_;
  std::vector<Storage> storages_;
  size_t live_ = 0, floor_ = 0;
};

template <typename Done>
bool OrderCell::Starts(const Storage& storage, Done&& done) {
  if (storage.before) return false;
  for (const uint32_t step : storage.touched_by) {
    if (done(step)) return false;
  }
  return true;
}

template <typename Done>
bool OrderCell::Ends(const Storage& storage, uint32_t at, Done&& done) {
  if (storage.behind) return false;
  for (const uint32_t step : storage.touched_by) {
    if (step != at && !done(step)) return false;
  }
  return true;
}

template <typename Done>
OrderCell::Effect OrderCell::EffectOf(uint32_t number, size_t live, Done&& done,
                                      uint64_t& work) const {
  const Step& step = steps_[number];
  Effect effect{live + step.scratch_bytes, live};
  ++work;
  for (const uint32_t id : step.touches) {
    const Storage& storage = storages_[id];
    work += storage.touched_by.size();
    if (Starts(storage, done)) effect.during += storage.bytes, effect.live += storage.bytes;
    if (Ends(storage, number, done)) effect.live -= storage.bytes;
  }
  for (const auto& [made, taken] : step.in_place) {
    const Storage& from = storages_[taken];
    if (from.bytes != storages_[made].bytes || Starts(from, done)) continue;
    if (!Starts(storages_[made], done) || !Ends(from, number, done)) continue;
    effect.during -= from.bytes;
    break;
  }
  return effect;
}

}  // namespace waybill::plan
