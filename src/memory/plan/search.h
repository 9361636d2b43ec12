// Looks for a placement of one part within a given capacity, depth first, until there is one or it
// is clear that there is none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/plan/orders.h"
#include "memory/plan/problem.h"
#include "memory/plan/search_state.h"

namespace waybill::plan {

// Which buffer is decided next.
enum class Choice : uint8_t {
  kLowest,    // the one with the lowest possible offset
  kTightest,  // the lowest one of the step with the least room
};

struct Strategy {
  Choice choice = Choice::kLowest;
  Order order = Order::kLifetime;  // among buffers with equal offsets
};

enum class Outcome : uint8_t { kFound, kImpossible, kUndecided };

// Every decision is: this buffer at its lowest offset, or not there. Unplaced buffers that fall
// apart in time are searched component by component: if one fails, the placement of another can not
// help it. Can be stopped and continued at will. Not thread-safe; `part` and `meets` must outlive
// it.
class Search {
 public:
  Search(const Problem& part, const Conflicts& meets, Strategy strategy);

  // Forgets everything. Each `shake` but 0 breaks ties in another order near the strategy's: how
  // long a search takes hangs on early decisions, so many short ones find more than a long one.
  void Restart(size_t capacity, uint64_t shake = 0);
  // kUndecided after about `work` more elementary steps without an answer. Not after kFound.
  Outcome Continue(uint64_t work);

  // Per item of the part, after kFound.
  const std::vector<size_t>& offsets() const { return state_.offsets(); }
  uint64_t work() const { return own_work_ + state_.work(); }

 private:
  using Steps = SearchState::Steps;

  // A placed buffer with the components that its component fell into.
  struct Frame {
    uint32_t item = 0;
    Steps component;
    size_t mark = 0;  // before it was placed
    size_t components_begin = 0;
    size_t next = 0;  // the component to search next
  };

  uint32_t Choose(Steps component);
  uint32_t ChooseLowest(Steps component);
  uint32_t ChooseTightest(Steps component);
  uint32_t LowestOf(std::span<const uint32_t> items) const;
  bool Before(uint32_t a, uint32_t b) const;
  void Split(Steps component);
  bool Descend(Steps component);
  bool NextComponent(Steps& component);
  bool Backtrack(Steps& component);

  const Problem& part_;
  const Conflicts& meets_;
  const Choice choice_;
  const std::vector<uint32_t> order_;
  std::vector<uint32_t> rank_;  // of the items in the order, shaken
  SearchState state_;
  std::vector<Frame> frames_;
  std::vector<Steps> components_;
  Steps current_;  // component to continue with
  uint64_t own_work_ = 0;
  bool impossible_ = false;
};

}  // namespace waybill::plan
