#include "exec/plan/layout.h"

#include <algorithm>
#include <chrono>

#include "base/math/checked.h"
#include "exec/plan/control_plan.h"
#include "exec/plan/demand.h"
#include "exec/plan/names.h"
#include "memory/plan/around.h"
#include "memory/plan/place.h"

namespace waybill::exec {

namespace {

// Optional sharing that is weighed one by one; beyond that, all of it or none.
constexpr size_t kMaxWeighed = 32;

bool FitsAlignment(std::span<const plan::Lifetime> lives, const Region& region) {
  return std::all_of(lives.begin(), lives.end(),
                     [&](const plan::Lifetime& life) { return life.align <= region.align; });
}

// The number of a lease that nobody has anything in, or of one more. The first stays: steps of the
// first plan that are still to come have their places there.
uint32_t FreeRegion(std::span<const Region> regions) {
  if (regions.empty()) return 0;
  uint32_t number = 1;
  while (number < regions.size() && !regions[number].lives.empty()) ++number;
  return number;
}

PlacedBy ByStage(plan::Stage stage) {
  switch (stage) {
    case plan::Stage::kPortfolio:
      return PlacedBy::kPortfolio;
    case plan::Stage::kLocalMoves:
      return PlacedBy::kLocalMoves;
    case plan::Stage::kSearch:
      break;
  }
  return PlacedBy::kSearch;
}

bool Overlap(size_t a, size_t a_bytes, size_t b, size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

Layout::Layout(const Program& program) : program_(program), entries_(program.slots().size()) {
  for (SlotId slot = 0; slot < entries_.size(); ++slot) entries_[slot].root = slot;
}

void Layout::AddForeign(SlotId slot) { requests_.push_back({.slot = slot}); }

void Layout::AddDonated(SlotId slot, size_t bytes, SlotId asked_output) {
  requests_.push_back(
      {.kind = Request::Kind::kDonated, .slot = slot, .other = asked_output, .bytes = bytes});
}

void Layout::AddView(SlotId slot, SlotId source, size_t bytes) {
  requests_.push_back(
      {.kind = Request::Kind::kView, .slot = slot, .other = source, .bytes = bytes});
}

void Layout::AddOwn(SlotId slot, size_t bytes, uint32_t step, std::span<const size_t> in_place_of,
                    SlotId part_of, size_t offset) {
  requests_.push_back({.kind = Request::Kind::kOwn,
                       .slot = slot,
                       .other = part_of,
                       .bytes = bytes,
                       .offset = offset,
                       .step = step,
                       .in_place_of = {in_place_of.begin(), in_place_of.end()},
                       .optional = part_of != kNoSlot});
}

void Layout::AddPiece(SlotId slot, SlotId whole, size_t offset, size_t pitch_bytes) {
  requests_.push_back({.kind = Request::Kind::kPiece,
                       .slot = slot,
                       .other = whole,
                       .offset = offset,
                       .pitch_bytes = pitch_bytes,
                       .optional = true});
}

void Layout::AddScratch(uint32_t step, const kernel::ScratchBooking& booking,
                        const ControlPlan* bodies) {
  scratch_.push_back({step, booking, bodies});
}

void Layout::StartRoot(SlotId slot, bool planned, size_t bytes) {
  const SlotInfo& info = program_.slots()[slot];
  Entry& entry = entries_[slot];
  entry.planned = planned;
  entry.first = info.producer;
  entry.last = info.last_read;
  entry.bytes = bytes;
}

void Layout::Join(SlotId slot, SlotId source, size_t offset, size_t bytes, Share share) {
  const SlotId root = entries_[source].root;
  Entry& entry = entries_[slot];
  entry.shift = entries_[source].shift + offset;
  entry.bytes = bytes;
  entry.share = share;
  entry.root = root;
  entry.members.clear();
  entries_[root].members.push_back(slot);
  entries_[root].last = std::max(entries_[root].last, program_.slots()[slot].last_read);
}

// A graph output is copied once, into its buffer; as a part it would be copied too, and later.
bool Layout::TryPart(const Request& request) {
  if (!request.taken || request.bytes == 0 || IsOutput(request.slot)) return false;
  Join(request.slot, request.other, request.offset, request.bytes, Share::kPart);
  entries_[request.slot].is_part = true;
  Entry& root = entries_[entries_[request.slot].root];
  ++root.values;
  ++parts_;
  part_bytes_ += request.bytes;
  return true;
}

std::vector<SlotId> Layout::OutputsByView() const {
  std::vector<SlotId> outputs(entries_.size(), kNoSlot);
  for (const SlotId slot : program_.outputs()) outputs[slot] = slot;
  for (auto request = requests_.rbegin(); request != requests_.rend(); ++request) {
    if (request->kind != Request::Kind::kView || outputs[request->slot] == kNoSlot) continue;
    outputs[request->other] = outputs[request->slot];
  }
  return outputs;
}

// What becomes an output is made in the output's buffer, else it would have to be copied there: in
// donated bytes only where these are that buffer.
bool Layout::MayLieInDonated(const Request& request, const Entry& root) const {
  const SlotId output = output_by_view_[request.slot];
  return output == kNoSlot || (output == root.asked_output && request.bytes == root.bytes);
}

// Everybody who has a share in the bytes that would be overwritten must be done with them.
bool Layout::TryInPlace(Request& request, size_t input) {
  const Step& step = program_.steps()[request.step];
  const SlotId source = step.inputs[input];
  if (source == kNoSlot) return false;
  const Entry& from = entries_[source];
  Entry& root = entries_[from.root];
  if (!root.planned && !(root.donated && MayLieInDonated(request, root))) return false;
  if (request.bytes == 0 || request.bytes > from.bytes) return false;
  // The buffer of a graph output holds it alone.
  if (IsOutput(request.slot) && request.bytes != root.bytes) return false;
  // The rest of the bytes stays as long as the output.
  const bool shrinks = request.bytes < from.bytes;
  if (shrinks && !request.taken) return false;
  for (const SlotId member : root.members) {
    const Entry& entry = entries_[member];
    if (!Overlap(entry.shift, entry.bytes, from.shift, request.bytes)) continue;
    const SlotInfo& info = program_.slots()[member];
    if (info.is_output || info.last_read > request.step) return false;
    if (info.origin == Origin::kStep && info.producer == request.step) return false;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (i != input && step.inputs[i] == member) return false;
    }
  }
  request.shrinks = shrinks;
  ++root.values;
  if (root.donated) ++donated_values_, donated_bytes_ += request.bytes;
  Join(request.slot, source, 0, request.bytes, Share::kInPlace);
  ++in_place_;
  return true;
}

// What holds exactly the piece, for as long as it is there, moves into the whole. Rows apart are
// written by the piece's own producer only.
void Layout::TryPiece(const Request& request) {
  if (!request.taken) return;
  const SlotId root = entries_[request.slot].root;
  Entry& piece = entries_[root];
  Entry& whole = entries_[request.other];
  if (whole.root != request.other || root == request.other || !whole.planned || !piece.planned) {
    return;
  }
  const Entry& slot = entries_[request.slot];
  if (slot.shift != 0 || slot.bytes != piece.bytes || slot.bytes == 0) return;
  if (request.pitch_bytes != 0 && piece.members.size() != 1) return;
  const auto is_output = [&](SlotId member) { return IsOutput(member); };
  if (std::any_of(piece.members.begin(), piece.members.end(), is_output)) return;
  for (const SlotId member : piece.members) {
    entries_[member].root = request.other;
    entries_[member].shift += request.offset;
  }
  piece.share = Share::kPart;
  entries_[request.slot].pitch_bytes = request.pitch_bytes;
  whole.members.insert(whole.members.end(), piece.members.begin(), piece.members.end());
  whole.first = std::min(whole.first, piece.first);
  whole.last = std::max(whole.last, piece.last);
  whole.values += piece.values;
  ++parts_;
  part_bytes_ += slot.bytes;
  piece.members.clear();
  piece.planned = false;
}

// The first graph output that is all of a root has it in its buffer. Others are copied at the end,
// until when their bytes stay.
void Layout::ClaimOutputs() {
  const auto outputs = program_.outputs();
  for (uint32_t k = 0; k < outputs.size(); ++k) {
    const Entry& entry = entries_[outputs[k]];
    Entry& root = entries_[entry.root];
    if (root.planned && !root.output && entry.bytes == root.bytes) root.output = k;
  }
  for (const SlotId slot : outputs) {
    Entry& root = entries_[entries_[slot].root];
    if (!root.planned || root.output) continue;
    root.last = static_cast<uint32_t>(program_.steps().size() - 1);
    root.kept = true;
  }
}

void Layout::Settle(bool reuse) {
  views_ = view_bytes_ = in_place_ = parts_ = part_bytes_ = donated_values_ = donated_bytes_ = 0;
  for (SlotId slot = 0; slot < entries_.size(); ++slot) {
    Entry& entry = entries_[slot];
    entry.members.assign(1, slot);
    entry.root = slot;
    entry.shift = entry.bytes = entry.pitch_bytes = 0;
    entry.share = Share::kNone;
    entry.is_part = entry.planned = entry.donated = entry.kept = false;
    entry.asked_output = kNoSlot;
    entry.values = 1;
    entry.output.reset();
  }
  for (Request& request : requests_) {
    switch (request.kind) {
      case Request::Kind::kForeign:
        StartRoot(request.slot, false, 0);
        break;
      case Request::Kind::kDonated:
        StartRoot(request.slot, false, request.bytes);
        entries_[request.slot].donated = reuse;
        entries_[request.slot].asked_output = request.other;
        break;
      case Request::Kind::kView:
        Join(request.slot, request.other, 0, request.bytes, Share::kView);
        ++views_;
        if (!IsOutput(request.slot)) view_bytes_ += AlignUp(request.bytes, kBlockAlign);
        break;
      case Request::Kind::kOwn: {
        if (reuse && request.other != kNoSlot && TryPart(request)) break;
        const auto in_place = [&](size_t input) { return TryInPlace(request, input); };
        if (reuse && std::any_of(request.in_place_of.begin(), request.in_place_of.end(), in_place))
          break;
        StartRoot(request.slot, true, request.bytes);
        break;
      }
      case Request::Kind::kPiece:
        if (reuse) TryPiece(request);
        break;
    }
  }
  ClaimOutputs();
}

std::vector<SlotId> Layout::PlacedRoots() const {
  std::vector<SlotId> roots;
  for (SlotId slot = 0; slot < entries_.size(); ++slot) {
    const Entry& entry = entries_[slot];
    if (entry.root == slot && entry.planned && !entry.output) roots.push_back(slot);
  }
  return roots;
}

std::vector<plan::Lifetime> Layout::Lives(std::span<const SlotId> roots,
                                          size_t PlanFigures::*of_bodies) const {
  std::vector<plan::Lifetime> lives;
  lives.reserve(roots.size() + scratch_.size());
  const auto next_id = [&] { return static_cast<uint32_t>(lives.size()); };
  for (const SlotId slot : roots) {
    const Entry& entry = entries_[slot];
    lives.push_back({next_id(), entry.first, entry.last, entry.bytes, kBlockAlign});
  }
  for (const Scratch& scratch : scratch_) {
    const size_t bytes =
        scratch.bodies != nullptr ? scratch.bodies->Most(of_bodies) : scratch.booking.bytes;
    lives.push_back({next_id(), scratch.step, scratch.step, bytes,
                     std::max(scratch.booking.align, size_t{kBlockAlign})});
  }
  return lives;
}

std::vector<bool> Layout::MadeInDonated() const {
  std::vector<bool> made(entries_.size());
  for (const Request& request : requests_) {
    if (request.kind != Request::Kind::kOwn) continue;
    made[request.slot] = entries_[root(request.slot)].donated;
  }
  return made;
}

// As PlaceWithoutReuse places them; sizes that overflow, which nobody could plan that way, are the
// largest there is.
void Layout::CountWithoutReuse(PlanFigures& figures) {
  const std::vector<bool> donated = MadeInDonated();
  Settle(false);
  std::vector<SlotId> roots = PlacedRoots();
  std::erase_if(roots, [&](SlotId slot) { return donated[slot]; });
  const auto lives = Lives(roots, &PlanFigures::no_reuse_bytes);
  Settle(program_.rules().reuse);
  std::optional<size_t> end = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].bytes == 0) continue;
    const auto begin = end ? CheckedAlignUp(*end, lives[i].align) : std::nullopt;
    const auto bytes = CheckedAlignUp(lives[i].bytes, lives[i].align);
    end = begin && bytes ? CheckedAdd(*begin, *bytes) : std::nullopt;
    const ControlPlan* bodies = i < roots.size() ? nullptr : scratch_[i - roots.size()].bodies;
    figures.requests += bodies != nullptr ? bodies->Widest()->figures.requests : 1;
  }
  figures.no_reuse_bytes = end.value_or(SIZE_MAX);
}

Result<size_t> Layout::SettledBound() {
  Settle(program_.rules().reuse);
  return plan::LowerBound(Lives(PlacedRoots()));
}

Status Layout::Arrange() {
  const auto is_donated = [](const Request& request) {
    return request.kind == Request::Kind::kDonated;
  };
  if (std::any_of(requests_.begin(), requests_.end(), is_donated)) {
    output_by_view_ = OutputsByView();
  }
  Settle(program_.rules().reuse);
  std::vector<Request*> optional;
  for (Request& request : requests_) {
    if (request.optional || request.shrinks) optional.push_back(&request);
  }
  if (optional.empty() || !program_.rules().reuse) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t with_all, plan::LowerBound(Lives(PlacedRoots())));
  for (Request* request : optional) request->taken = false;
  WB_ASSIGN_OR_RETURN(size_t least, SettledBound());
  if (with_all <= least) {
    for (Request* request : optional) request->taken = true;
  } else {
    for (size_t i = 0; i < std::min(optional.size(), kMaxWeighed); ++i) {
      optional[i]->taken = true;
      WB_ASSIGN_OR_RETURN(const size_t bound, SettledBound());
      optional[i]->taken = bound <= least;
      least = std::min(least, bound);
    }
  }
  Settle(program_.rules().reuse);
  return Status::Ok();
}

Result<plan::Placement> Layout::PlaceLives(std::span<const plan::Lifetime> lives,
                                           std::span<const Region> regions, Plan& plan) const {
  const bool reuse = program_.rules().reuse;
  for (plan.region = 0; reuse && plan.region < regions.size(); ++plan.region) {
    const Region& region = regions[plan.region];
    if (!FitsAlignment(lives, region)) continue;
    WB_ASSIGN_OR_RETURN(auto placement,
                        plan::PlaceAround(lives, region.lives, region.offsets, region.bytes));
    if (!placement) continue;
    plan.opens_region = false;
    plan.figures.placed_by = PlacedBy::kRoom;
    WB_ASSIGN_OR_RETURN(plan.figures.bound_bytes, plan::LowerBound(lives));
    return std::move(*placement);
  }
  plan.region = FreeRegion(regions);
  if (reuse) return PlaceInNew(lives, plan.figures);
  plan.figures.placed_by = PlacedBy::kNoReuse;
  WB_ASSIGN_OR_RETURN(plan.figures.bound_bytes, plan::LowerBound(lives));
  return plan::PlaceWithoutReuse(lives);
}

Result<plan::Placement> Layout::PlaceInNew(std::span<const plan::Lifetime> lives,
                                           PlanFigures& figures) const {
  const bool templates = program_.rules().templates;
  if (auto answer = templates ? program_.templates().Place(lives) : std::nullopt) {
    figures.bound_bytes = answer->bound_bytes;
    figures.placed_by = PlacedBy::kTemplate;
    return std::move(answer->placement);
  }
  WB_ASSIGN_OR_RETURN(plan::BestPlacement best, plan::PlaceBest(lives));
  if (templates) program_.templates().Keep(lives, best);
  figures.bound_bytes = best.bound_bytes;
  figures.placed_by = ByStage(best.stage);
  return plan::Placement(std::move(best));
}

Status Layout::Prove(std::span<const plan::Lifetime> lives, const plan::Placement& placement,
                     std::span<const Region> regions, const Plan& plan) const {
  if (plan.opens_region) return plan::Verify(lives, placement);
  const Region& region = regions[plan.region];
  std::vector<plan::Lifetime> all(lives.begin(), lives.end());
  all.insert(all.end(), region.lives.begin(), region.lives.end());
  for (uint32_t i = 0; i < all.size(); ++i) all[i].id = i;
  plan::Placement joint{placement.offsets, region.bytes};
  joint.offsets.insert(joint.offsets.end(), region.offsets.begin(), region.offsets.end());
  return plan::Verify(all, joint);
}

Result<size_t> Layout::EndIn(const Region& region) const {
  const std::vector<plan::Lifetime> lives = Lives(PlacedRoots());
  WB_ASSIGN_OR_RETURN(const auto placement, plan::PlaceAround(lives, region.lives, region.offsets,
                                                              static_cast<size_t>(PTRDIFF_MAX)));
  return placement ? placement->slab_bytes : SIZE_MAX;
}

Status Layout::Place(Plan& plan, std::span<const Region> regions) {
  CountWithoutReuse(plan.figures);
  const std::vector<SlotId> roots = PlacedRoots();
  const std::vector<plan::Lifetime> lives = Lives(roots);
  const auto begin = std::chrono::steady_clock::now();
  WB_ASSIGN_OR_RETURN(const plan::Placement placement, PlaceLives(lives, regions, plan));
  plan.figures.solve_ns = static_cast<uint64_t>((std::chrono::steady_clock::now() - begin) /
                                                std::chrono::nanoseconds(1));
  if (lives.empty()) plan.figures.placed_by = PlacedBy::kNobody;
  const auto has_bodies = [](const Scratch& scratch) { return scratch.bodies != nullptr; };
  if (std::any_of(scratch_.begin(), scratch_.end(), has_bodies)) {
    const auto least = Lives(roots, &PlanFigures::bound_bytes);
    WB_ASSIGN_OR_RETURN(plan.figures.bound_bytes, plan::LowerBound(least));
  }
  if (program_.rules().verify) WB_RETURN_IF_ERROR(Prove(lives, placement, regions, plan));
  plan.figures.slab_bytes = plan.opens_region ? placement.slab_bytes : 0;
  plan.figures.views = views_;
  plan.figures.view_bytes = view_bytes_;
  plan.figures.in_place = in_place_;
  plan.figures.parts = parts_;
  plan.figures.part_bytes = part_bytes_;
  plan.figures.donated_values = donated_values_;
  plan.figures.donated_bytes = donated_bytes_;
  plan.buffers.reserve(lives.size());
  for (size_t i = 0; i < lives.size(); ++i) {
    const size_t offset = placement.offsets[i];
    plan.slab_align = std::max(plan.slab_align, lives[i].align);
    if (i < roots.size()) {
      Entry& entry = entries_[roots[i]];
      entry.offset = offset;
      entry.buffer = static_cast<uint32_t>(i);
      plan.buffers.push_back(
          {NameOf(program_, roots[i]), lives[i], offset, entry.values, false, entry.kept});
    } else {
      const std::string step = NameOf(program_, program_.steps()[lives[i].first_step]);
      const ControlPlan* bodies = scratch_[i - roots.size()].bodies;
      plan.buffers.push_back({Format("{} of {}", bodies != nullptr ? "bodies" : "scratch", step),
                              lives[i], offset, 1, true, false, bodies});
      plan.scratch_offsets.push_back(offset);
    }
  }
  plan.figures.fresh_requests = FreshRequests(plan.buffers);
  return Status::Ok();
}

}  // namespace waybill::exec
