// Layout keeps the book of planned storage: which slots share bytes, and how long each is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::exec {

class Layout {
 public:
  explicit Layout(const Program& program);

  // A slot with bytes of its own in the slab (or in an output, see ClaimOutputs).
  void AddFresh(SlotId slot, size_t bytes);
  // A slot with the bytes of `source`, whatever those are.
  void AddView(SlotId slot, SlotId source);
  // Lets `slot` take over the bytes of input `input` of its step; false when somebody else may
  // still need them, or they are not the plan's to overwrite.
  bool TryInPlace(SlotId slot, size_t bytes, const Step& step, uint32_t index, size_t input);
  // A slot whose bytes are not the slab's: computed at planning, or dynamic.
  void AddForeign(SlotId slot) { entries_[slot].root = slot; }
  // Scratch of one step.
  void AddScratch(uint32_t step, const kernel::ScratchBooking& booking);
  size_t num_scratch() const { return scratch_.size(); }

  SlotId root(SlotId slot) const { return entries_[slot].root; }
  bool is_planned(SlotId slot) const { return entries_[entries_[slot].root].planned; }

  // Lets the root of `slot` lie in the buffer of graph output `index`; false when it has another
  // home already.
  bool ClaimOutput(SlotId slot, uint32_t index);
  // The output that holds the slot's bytes, if one does.
  std::optional<uint32_t> output_of(SlotId slot) const { return entries_[root(slot)].output; }

  // Places everything, proves it when `verify`, and fills figures, buffers and scratch offsets of
  // `plan`. Errors: those of the planner.
  Status Place(bool verify, Plan& plan);
  // After Place: for planned slots outside output buffers.
  size_t offset(SlotId slot) const { return entries_[root(slot)].offset; }

 private:
  struct Entry {
    SlotId root = kNoSlot;
    // Of roots:
    bool planned = false;     // bytes in the slab or in an output
    bool has_output = false;  // a member is a graph output, so nobody may overwrite it
    std::optional<uint32_t> output;
    uint32_t first = 0, last = 0;
    uint32_t last_writer = 0;
    size_t bytes = 0, own_bytes = 0;  // own_bytes: if no member shared
    size_t values = 1;                // members that are no views
    size_t offset = 0;
  };
  struct Scratch {
    uint32_t step;
    kernel::ScratchBooking booking;
  };
  void Join(SlotId slot, SlotId root);

  const Program& program_;
  std::vector<Entry> entries_;  // by SlotId
  std::vector<Scratch> scratch_;
  size_t views_ = 0, in_place_ = 0;
};

}  // namespace waybill::exec
