// Layout keeps the book of planned storage: which slots share bytes, and how long each is needed.
//
// The planner first says, in the order of the steps, what every slot asks for; Arrange then decides
// who shares. A slot's bytes are those of its root from `shift` on; roots are what is placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"
#include "memory/plan/order.h"

namespace waybill::exec {

// A lease of a run, with what earlier plans have in it from some step on.
struct Region {
  size_t bytes = 0, align = kBlockAlign;
  std::vector<plan::Lifetime> lives;
  std::vector<size_t> offsets;
};

class Layout {
 public:
  explicit Layout(const Program& program);

  // A slot whose bytes are not the slab's: computed at planning, or dynamic.
  void AddForeign(SlotId slot);
  // An input whose bytes may be overwritten once nobody reads them. A graph output is made in them
  // only where it is `asked_output`, of the same size; kNoSlot: none is.
  void AddDonated(SlotId slot, size_t bytes, SlotId asked_output);
  // A slot with all the bytes of `source`, whatever those are.
  void AddView(SlotId slot, SlotId source, size_t bytes);
  // An output of step `step` with bytes of its own. It may take over those of one of the inputs
  // `in_place_of`; where `part_of` is a slot, it may be the bytes of that from `offset` on.
  void AddOwn(SlotId slot, size_t bytes, uint32_t step, std::span<const size_t> in_place_of,
              SlotId part_of, size_t offset);
  // `slot`, an input, may lie within `whole`, an output of the same step, from `offset` on: as one
  // run of bytes, or, where `pitch_bytes` is not 0, as rows that far apart. Then nobody else reads
  // it, and its producer can write it so.
  void AddPiece(SlotId slot, SlotId whole, size_t offset, size_t pitch_bytes);
  // `bodies`: what has the scratch as its slab; borrowed as long as the layout and its plan.
  void AddScratch(uint32_t step, const kernel::ScratchBooking& booking,
                  const ControlPlan* bodies = nullptr);
  size_t num_scratch() const { return scratch_.size(); }

  // Decides. Parts and pieces join lifetimes, so those that would raise the bound are dropped.
  // Errors: those of the planner.
  Status Arrange();
  // After Arrange: the bound of what Place would place, and what the steps touch. `problem` has a
  // step for each of the program.
  Result<size_t> Bound() const;
  void DescribeOrder(plan::OrderProblem& problem) const;
  // Without donated inputs: the program's steps have been put in that order, whose entries are
  // their numbers until then. Arranges anew. Errors: those of the planner.
  Status Follow(std::span<const uint32_t> order);
  // Places everything, proves it when the program wants that, and fills figures, buffers, region
  // and scratch offsets of `plan`. A tail is placed in what is free of one of the `regions`, else
  // in a new one. Errors: those of the planner.
  Status Place(Plan& plan, std::span<const Region> regions = {});
  // The end of what Place would put into the region, whatever the size of that. Errors: likewise.
  Result<size_t> EndIn(const Region& region) const;

  // After Arrange:
  SlotId root(SlotId slot) const { return entries_[slot].root; }
  size_t shift(SlotId slot) const { return entries_[slot].shift; }
  Share share(SlotId slot) const { return entries_[slot].share; }
  bool is_planned(SlotId slot) const { return entries_[root(slot)].planned; }
  // The graph output whose buffer holds the slot's bytes, if one does.
  std::optional<uint32_t> output_of(SlotId slot) const { return entries_[root(slot)].output; }
  // Whether the slot's bytes are written by nobody but the writers of another slot.
  bool is_part(SlotId slot) const { return entries_[slot].is_part; }
  // From row to row of a slot that lies within another with bytes between its rows; else 0.
  size_t pitch_bytes(SlotId slot) const { return entries_[slot].pitch_bytes; }
  // The donated input in whose bytes the slot is, where it is the output asked for there.
  SlotId donor_of(SlotId slot) const {
    const bool is_there = entries_[root(slot)].asked_output == slot && shift(slot) == 0;
    return is_there ? root(slot) : kNoSlot;
  }
  // After Place: for planned slots outside output buffers.
  size_t offset(SlotId slot) const { return entries_[root(slot)].offset + shift(slot); }
  // Likewise; of the plan's buffers.
  uint32_t buffer(SlotId slot) const { return entries_[root(slot)].buffer; }

 private:
  struct Entry {
    SlotId root = kNoSlot;
    size_t shift = 0, bytes = 0;
    size_t pitch_bytes = 0;  // of rows with others' bytes between them; `bytes` is without these
    bool is_part = false;
    Share share = Share::kNone;
    // Of roots:
    bool planned = false;            // bytes in the slab or in an output
    bool donated = false;            // bytes of an input, which may be overwritten
    SlotId asked_output = kNoSlot;   // of donated ones
    std::optional<uint32_t> output;  // graph output whose buffer they are
    uint32_t first = 0, last = 0;
    size_t values = 1;  // members that are no views
    bool kept = false;  // a graph output is copied from it after the last step
    size_t offset = 0;
    uint32_t buffer = 0;
    std::vector<SlotId> members;  // itself and all whose root it is
  };
  struct Request {
    enum class Kind : uint8_t { kForeign, kDonated, kView, kOwn, kPiece };
    Kind kind = Kind::kForeign;
    SlotId slot = kNoSlot;
    // Donated: the output asked for; view: source; own: what it may be a part of; piece: the whole.
    SlotId other = kNoSlot;
    size_t bytes = 0, offset = 0;
    size_t pitch_bytes = 0;  // piece
    uint32_t step = 0;
    std::vector<size_t> in_place_of;  // inputs
    bool optional = false;
    bool shrinks = false;  // it was made in place of more bytes than it has
    bool taken = true;     // an optional or shrinking one is to be tried
  };
  struct Scratch {
    uint32_t step;
    kernel::ScratchBooking booking;
    const ControlPlan* bodies;
  };

  void Settle(bool reuse);  // all requests anew
  // Fills no_reuse_bytes and requests from what would be placed if nothing were shared. The layout
  // is afterwards as it was.
  void CountWithoutReuse(PlanFigures& figures);
  std::vector<bool> MadeInDonated() const;  // by slot
  void StartRoot(SlotId slot, bool planned, size_t bytes);
  void Join(SlotId slot, SlotId source, size_t offset, size_t bytes, Share share);
  // The graph outputs that are views of slots, by slot, before anything is shared: kNoSlot for
  // none.
  std::vector<SlotId> OutputsByView() const;
  bool MayLieInDonated(const Request& request, const Entry& root) const;
  bool TryPart(const Request& request);
  bool TryInPlace(Request& request, size_t input);
  void TryPiece(const Request& request);
  void ClaimOutputs();
  bool IsOutput(SlotId slot) const { return program_.slots()[slot].is_output; }
  // What there is to place: roots that are in no output buffer, then scratch.
  std::vector<SlotId> PlacedRoots() const;
  // Slabs of bodies have the most bytes that one of the bodies has of `of_bodies`.
  std::vector<plan::Lifetime> Lives(
      std::span<const SlotId> roots,
      size_t PlanFigures::*of_bodies = &PlanFigures::slab_bytes) const;
  Result<size_t> SettledBound();
  std::vector<uint32_t> AddStorages(plan::OrderProblem& problem) const;
  // Fills region, opens_region, the bound of `plan` and by whom it was placed too.
  Result<plan::Placement> PlaceLives(std::span<const plan::Lifetime> lives,
                                     std::span<const Region> regions, Plan& plan) const;
  Result<plan::Placement> PlaceInNew(std::span<const plan::Lifetime> lives,
                                     PlanFigures& figures) const;
  Status Prove(std::span<const plan::Lifetime> lives, const plan::Placement& placement,
               std::span<const Region> regions, const Plan& plan) const;

  const Program& program_;
  std::vector<Entry> entries_;  // by SlotId
  std::vector<Request> requests_;
  std::vector<Scratch> scratch_;
  std::vector<SlotId> output_by_view_;  // with donated inputs
  size_t views_ = 0, view_bytes_ = 0, in_place_ = 0, parts_ = 0, part_bytes_ = 0;
  size_t donated_values_ = 0, donated_bytes_ = 0;
};

}  // namespace waybill::exec
