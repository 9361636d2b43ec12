// Template: what a placement says whatever the sizes are. It keeps which buffer lies on top of
// which, and places from that, without a search, any problem that has the same lifetimes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/plan/lifetime.h"

namespace waybill::plan {

// The relations are a graph without cycles in which a path joins every two buffers that are alive
// at the same step: each is put where all below it have ended, so that they never overlap, whatever
// their sizes. Nothing but lifetimes says which relations there must be, so a template rests on
// these alone: who shares bytes with whom is decided before and shows in them.
// Immutable: any number of threads may use one.
class Template {
 public:
  // Of a right placement of `lives`.
  Template(std::span<const Lifetime> lives, const Placement& placement);

  // Whether `lives` are those of the template, in the same order, but for sizes: steps and
  // alignments are equal, and none has bytes that had none there.
  bool Fits(std::span<const Lifetime> lives) const;

  struct Answer {
    Placement placement;  // right; each buffer is as low as the relations let it
    size_t bound_bytes = 0;
  };
  // Places `lives`, which fit: O(buffers). Nothing when the sizes overflow.
  std::optional<Answer> Place(std::span<const Lifetime> lives) const;

  size_t num_relations() const { return below_.size(); }
  // What it holds on the heap, itself included.
  size_t HeapBytes() const;

 private:
  struct Form {  // of a lifetime, without its size
    uint32_t first, last;
    size_t align;
    bool empty;
  };
  // One with bytes, lowest first: those that it lies on are below_[begin_below ..], up to the next
  // one's. Steps are numbered by where buffers begin.
  struct Node {
    uint32_t index, first, last;
    uint32_t begin_below;
  };

  std::vector<Form> forms_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> below_;  // indices of lifetimes
  size_t num_steps_ = 0;
};

}  // namespace waybill::plan
