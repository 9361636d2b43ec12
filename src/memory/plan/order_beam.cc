#include "memory/plan/order_beam.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "memory/plan/beam_states.h"

namespace waybill::plan {

namespace {

// A beam ends when it has used this part of the work that is left and is not this part of the way.
constexpr uint64_t kProbeWork = 8, kProbeWay = 16;

// A number for each step; a set has the exclusive or of theirs.
uint64_t HashOf(uint32_t step) {
  uint64_t x = (step + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

struct Move {
  size_t first = 0, second = 0;  // bytes by which it is ranked
  uint64_t hash = 0;
  uint32_t from = 0, step = 0;  // state, step
  bool is_other = false;        // it reads nothing that the step before it has made
};

struct IsBetter {
  bool operator()(const Move& a, const Move& b) const {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    if (a.is_other != b.is_other) return b.is_other;
    return a.from != b.from ? a.from < b.from : a.step < b.step;
  }
};

class Beam {
 public:
  Beam(const OrderCell& cell, const BeamSettings& settings, uint64_t& work_left)
      : cell_(cell),
        settings_(settings),
        by_live_(settings.rank == BeamRank::kLive),
        work_left_(work_left),
        probe_(work_left - work_left / kProbeWork),
        states_(cell),
        next_(cell) {}

  BeamAnswer Search() {
    const size_t count = cell_.steps().size();
    states_.Start(std::max(cell_.live(), settings_.enough));
    for (size_t done = 0; done < count; ++done) {
      if (work_left_ < probe_ && done < count / kProbeWay) return {std::nullopt, false, true};
      moves_.clear();
      for (uint32_t i = 0; i < states_.size(); ++i) AddMoves(i);
      Take();
      if (states_.size() == 0) return {std::nullopt, complete_};
    }
    return {OrderOf(states_[0]), complete_};
  }

 private:
  struct Node {
    uint32_t parent, step;
  };

  void Spend(uint64_t work) { work_left_ -= std::min(work, work_left_); }

  void AddMoves(uint32_t from) {
    const BeamState& state = states_[from];
    const uint32_t latest = state.node == kNoNode ? kNoNode : nodes_[state.node].step;
    const size_t begin = moves_.size();
    for (ReadyStep& ready : states_.ReadyOf(from)) {
      if (work_left_ == 0) {
        complete_ = false;
        return;
      }
      const OrderCell::Effect effect = states_.EffectOf(from, ready);
      Spend(states_.WorkOf(ready.step));
      const size_t peak = std::max(state.peak, effect.during);
      if (peak == state.peak && effect.live <= state.live) {
        moves_.resize(begin);
        moves_.push_back(MoveTo(from, ready.step, peak, effect.live, latest));
        return;
      }
      if (peak < settings_.below) {
        moves_.push_back(MoveTo(from, ready.step, peak, effect.live, latest));
      }
    }
  }

  Move MoveTo(uint32_t from, uint32_t step, size_t peak, size_t live, uint32_t latest) const {
    const auto& after = cell_.steps()[step].after;
    const bool is_other = std::find(after.begin(), after.end(), latest) == after.end();
    const uint64_t hash = states_[from].hash ^ HashOf(step);
    if (by_live_) return {live, peak, hash, from, step, is_other};
    return {peak, live, hash, from, step, is_other};
  }

  // The best, one for each set of steps. By live bytes as well: equal sets leave the same alive.
  void Take() {
    KeepBestOfEachSet();
    const auto end =
        moves_.begin() + static_cast<std::ptrdiff_t>(std::min(moves_.size(), settings_.width));
    if (end != moves_.end()) {
      complete_ = false;
      std::nth_element(moves_.begin(), end, moves_.end(), IsBetter());
    }
    std::sort(moves_.begin(), end, IsBetter());
    next_.Clear();
    for (auto move = moves_.begin(); move != end; ++move) {
      const auto node = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({states_[move->from].node, move->step});
      next_.Add(states_, move->from, move->step, StateAfter(*move, node));
      Spend(next_.WorkOfLatest());
    }
    std::swap(states_, next_);
  }

  void KeepBestOfEachSet() {
    const size_t places = std::bit_ceil(2 * moves_.size() + 1);
    place_of_.assign(places, kNoNode);
    size_t kept = 0;
    for (const Move& move : moves_) {
      size_t at = move.hash & (places - 1);
      while (place_of_[at] != kNoNode && moves_[place_of_[at]].hash != move.hash) {
        at = (at + 1) & (places - 1);
      }
      if (place_of_[at] == kNoNode) {
        place_of_[at] = static_cast<uint32_t>(kept);
        moves_[kept++] = move;
      } else if (IsBetter()(move, moves_[place_of_[at]])) {
        moves_[place_of_[at]] = move;
      }
    }
    moves_.resize(kept);
  }

  BeamState StateAfter(const Move& move, uint32_t node) const {
    if (by_live_) return {move.first, move.second, move.hash, node};
    return {move.second, move.first, move.hash, node};
  }

  std::vector<uint32_t> OrderOf(const BeamState& state) const {
    std::vector<uint32_t> order;
    for (uint32_t node = state.node; node != kNoNode; node = nodes_[node].parent) {
      order.push_back(nodes_[node].step);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  const OrderCell& cell_;
  const BeamSettings settings_;
  const bool by_live_;
  uint64_t& work_left_;
  const uint64_t probe_;
  BeamStates states_, next_;
  std::vector<Move> moves_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> place_of_;  // in moves_, by hash
  bool complete_ = true;
};

}  // namespace

BeamAnswer SearchBeam(const OrderCell& cell, const BeamSettings& settings, uint64_t& work_left) {
  return Beam(cell, settings, work_left).Search();
}

}  // namespace waybill::plan
