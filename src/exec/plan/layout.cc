#include "exec/plan/layout.h"

#include <algorithm>

#include "base/math/checked.h"
#include "exec/plan/demand.h"
#include "memory/plan/place.h"

namespace waybill::exec {

Layout::Layout(const Program& program) : program_(program), entries_(program.slots().size()) {
  for (SlotId slot = 0; slot < entries_.size(); ++slot) entries_[slot].root = slot;
}

void Layout::AddFresh(SlotId slot, size_t bytes) {
  Entry& entry = entries_[slot];
  const SlotInfo& info = program_.slots()[slot];
  entry.root = slot;
  entry.planned = true;
  entry.first = entry.last_writer = info.producer;
  entry.last = info.last_read;
  entry.has_output = info.is_output;
  entry.bytes = bytes;
  entry.own_bytes = AlignUp(bytes, kBlockAlign);
}

void Layout::Join(SlotId slot, SlotId root) {
  const SlotInfo& info = program_.slots()[slot];
  entries_[slot].root = root;
  entries_[root].last = std::max(entries_[root].last, info.last_read);
  entries_[root].has_output |= info.is_output;
}

void Layout::AddView(SlotId slot, SlotId source) {
  Join(slot, root(source));
  ++views_;
}

bool Layout::TryInPlace(SlotId slot, size_t bytes, const Step& step, uint32_t index, size_t input) {
  const SlotId root_slot = root(step.inputs[input]);
  Entry& entry = entries_[root_slot];
  if (!entry.planned || entry.has_output || entry.bytes != bytes || entry.last > index ||
      entry.last_writer == index) {
    return false;
  }
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (i != input && step.inputs[i] != kNoSlot && root(step.inputs[i]) == root_slot) return false;
  }
  entry.last_writer = index;
  entry.own_bytes += AlignUp(bytes, kBlockAlign);
  ++entry.values;
  Join(slot, root_slot);
  ++in_place_;
  return true;
}

void Layout::AddScratch(uint32_t step, const kernel::ScratchBooking& booking) {
  scratch_.push_back({step, booking});
}

bool Layout::ClaimOutput(SlotId slot, uint32_t index) {
  Entry& entry = entries_[root(slot)];
  if (!entry.planned || entry.output) return false;
  entry.output = index;
  return true;
}

Status Layout::Place(bool verify, Plan& plan) {
  std::vector<plan::Lifetime> lives;
  std::vector<SlotId> roots;
  for (SlotId slot = 0; slot < entries_.size(); ++slot) {
    const Entry& entry = entries_[slot];
    if (entry.root != slot || !entry.planned || entry.output) continue;
    lives.push_back(
        {static_cast<uint32_t>(lives.size()), entry.first, entry.last, entry.bytes, kBlockAlign});
    roots.push_back(slot);
    plan.buffers.push_back(
        {program_.value_of(slot).name, lives.back(), 0, entry.values, entry.own_bytes});
  }
  for (const Scratch& scratch : scratch_) {
    const size_t align = std::max(scratch.booking.align, size_t{kBlockAlign});
    lives.push_back({static_cast<uint32_t>(lives.size()), scratch.step, scratch.step,
                     scratch.booking.bytes, align});
    plan.slab_align = std::max(plan.slab_align, align);
    plan.buffers.push_back({Format("scratch of {}", program_.steps()[scratch.step].node->name),
                            lives.back(), 0, 1, AlignUp(scratch.booking.bytes, align), true});
  }
  WB_ASSIGN_OR_RETURN(plan.figures.bound_bytes, plan::LowerBound(lives));
  WB_ASSIGN_OR_RETURN(const plan::BestPlacement placement, plan::PlaceBest(lives));
  if (verify) WB_RETURN_IF_ERROR(plan::Verify(lives, placement));
  plan.figures.slab_bytes = placement.slab_bytes;
  plan.figures.views = views_;
  plan.figures.in_place = in_place_;
  for (size_t i = 0; i < lives.size(); ++i) {
    plan.buffers[i].offset = placement.offsets[i];
    if (i < roots.size()) {
      entries_[roots[i]].offset = placement.offsets[i];
    } else {
      plan.scratch_offsets.push_back(placement.offsets[i]);
    }
  }
  CountDemand(plan.buffers, plan.figures);
  return Status::Ok();
}

}  // namespace waybill::exec
