#include "memory/plan/order_beam.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace waybill::plan {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// A number for each step; a set has the exclusive or of theirs.
uint64_t HashOf(uint32_t step) {
  uint64_t x = (step + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

struct State {
  std::vector<uint64_t> done;   // a bit for each step
  std::vector<uint32_t> ready;  // in the given order
  size_t live = 0, peak = 0;
  uint64_t hash = 0;
  uint32_t node = kNone;

  bool Did(uint32_t step) const { return (done[step / 64] >> (step % 64) & 1) != 0; }
};

struct Move {
  uint32_t from = 0, step = 0;  // state, step
  size_t peak = 0, live = 0;
  uint64_t hash = 0;
  bool follows = false;  // it reads what the step before it has made
};

class Beam {
 public:
  Beam(const OrderCell& cell, const BeamSettings& settings, uint64_t& work_left)
      : cell_(cell), settings_(settings), work_left_(work_left) {}

  BeamAnswer Search() {
    states_.push_back(First());
    for (size_t done = 0; done < cell_.steps().size(); ++done) {
      moves_.clear();
      for (uint32_t i = 0; i < states_.size(); ++i) AddMoves(i);
      Rank();
      Take();
      if (states_.empty()) return {std::nullopt, complete_};
    }
    return {OrderOf(states_.front()), complete_};
  }

 private:
  struct Node {
    uint32_t parent, step;
  };

  State First() const {
    State state;
    state.done.resize((cell_.steps().size() + 63) / 64);
    state.live = cell_.live();
    state.peak = std::max(cell_.live(), settings_.enough);
    for (uint32_t step = 0; step < cell_.steps().size(); ++step) {
      if (cell_.steps()[step].after.empty()) state.ready.push_back(step);
    }
    return state;
  }

  void AddMoves(uint32_t from) {
    const State& state = states_[from];
    const uint32_t latest = state.node == kNone ? kNone : nodes_[state.node].step;
    const size_t begin = moves_.size();
    for (const uint32_t step : state.ready) {
      if (work_left_ == 0) {
        complete_ = false;
        return;
      }
      uint64_t work = 0;
      const OrderCell::Effect effect = cell_.EffectOf(
          step, state.live, [&](uint32_t other) { return state.Did(other); }, work);
      work_left_ -= std::min(work, work_left_);
      const auto& after = cell_.steps()[step].after;
      const Move move{from,
                      step,
                      std::max(state.peak, effect.during),
                      effect.live,
                      state.hash ^ HashOf(step),
                      std::find(after.begin(), after.end(), latest) != after.end()};
      if (move.peak == state.peak && move.live <= state.live) {
        moves_.resize(begin);
        moves_.push_back(move);
        return;
      }
      if (move.peak < settings_.below) moves_.push_back(move);
    }
  }

  void Rank() {
    const bool by_live = settings_.rank == BeamRank::kLive;
    const auto key = [&](const Move& move) {
      return by_live ? std::pair(move.live, move.peak) : std::pair(move.peak, move.live);
    };
    std::sort(moves_.begin(), moves_.end(), [&](const Move& a, const Move& b) {
      if (key(a) != key(b)) return key(a) < key(b);
      if (a.follows != b.follows) return a.follows;
      return std::pair(a.from, a.step) < std::pair(b.from, b.step);
    });
  }

  // The best, one for each set of steps. By live bytes as well: equal sets leave the same alive.
  void Take() {
    std::unordered_set<uint64_t> sets;
    std::vector<State> next;
    for (const Move& move : moves_) {
      if (!sets.insert(move.hash).second) continue;
      if (next.size() == settings_.width) {
        complete_ = false;
        break;
      }
      next.push_back(After(move));
    }
    states_ = std::move(next);
  }

  State After(const Move& move) {
    const State& from = states_[move.from];
    State state;
    state.done = from.done;
    state.done[move.step / 64] |= uint64_t{1} << (move.step % 64);
    state.live = move.live;
    state.peak = move.peak;
    state.hash = move.hash;
    state.node = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({from.node, move.step});
    for (const uint32_t step : from.ready) {
      if (step != move.step) state.ready.push_back(step);
    }
    for (const uint32_t step : cell_.steps()[move.step].before) {
      const auto& after = cell_.steps()[step].after;
      const auto did = [&](uint32_t other) { return state.Did(other); };
      if (!std::all_of(after.begin(), after.end(), did)) continue;
      state.ready.insert(std::upper_bound(state.ready.begin(), state.ready.end(), step), step);
    }
    const uint64_t work = state.done.size() + state.ready.size();
    work_left_ -= std::min(work, work_left_);
    return state;
  }

  std::vector<uint32_t> OrderOf(const State& state) const {
    std::vector<uint32_t> order;
    for (uint32_t node = state.node; node != kNone; node = nodes_[node].parent) {
      order.push_back(nodes_[node].step);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  const OrderCell& cell_;
  const BeamSettings settings_;
  uint64_t& work_left_;
  std::vector<State> states_;
  std::vector<Move> moves_;
  std::vector<Node> nodes_;
  bool complete_ = true;
};

}  // namespace

BeamAnswer SearchBeam(const OrderCell& cell, const BeamSettings& settings, uint64_t& work_left) {
  return Beam(cell, settings, work_left).Search();
}

}  // namespace waybill::plan
