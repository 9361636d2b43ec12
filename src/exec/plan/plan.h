// Plan: a program laid out for one shape key, shared by all runs with that key. Immutable, but for
// what runs found out. What it leaves open until a run finds out a size is laid out then, from that
// step on, by a further plan: a tail.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/plan/pace.h"
#include "exec/program/step.h"
#include "memory/plan/lifetime.h"
#include "tensor/tensor/tensor.h"

namespace waybill::exec {

// Where the bytes of a planned slot are.
enum class Home : uint8_t {
  kNone,      // not planned: an input, capture or constant of the program, or a dynamic value
  kSlab,      // at an offset of the run's slab
  kOutput,    // in the buffer of a graph output
  kAlias,     // in those of another slot: an input, a capture or a constant
  kConstant,  // computed at planning
};

// How a planned slot came to its bytes.
enum class Share : uint8_t {
  kNone,     // they are its own, or it is the first in them
  kView,     // all those of an input, which stay as they are
  kInPlace,  // it took over those of an input that dies
  kPart,     // they lie within those of another value
};

struct Binding {
  SlotId slot = kNoSlot;
  Home home = Home::kNone;
  Share share = Share::kNone;
  TensorView view;      // type and shape; data only for kConstant
  size_t offset = 0;    // kSlab; kOutput and kAlias: in that buffer or slot
  uint32_t target = 0;  // kSlab: buffer of the plan; kOutput: graph output; kAlias: slot
  Value constant;       // kConstant
};

enum class StepMode : uint8_t {
  kSkip,       // computed at planning, or nothing but views and parts
  kPlanned,    // a kernel; outputs and scratch have their places
  kControl,    // control flow with its bodies, likewise
  kDynamic,    // planned in the run, when its inputs are there
  kOpen,       // a kernel whose run sizes its outputs; scratch has its places
  kMove,       // views of bytes that end before the views do: copied
  kElsewhere,  // of a tail: laid out by an earlier plan of the run, or the step that the tail
               // follows
};

// State of a kMove step: the slots that its outputs are copied from, kNoSlot for omitted outputs
// and for those that lie where they belong.
struct MoveSources final : kernel::PlanState {
  std::vector<SlotId> from;
};

struct ControlPlan;

struct StepPlan {
  StepMode mode = StepMode::kDynamic;
  uint32_t first_scratch = 0, num_scratch = 0;
  std::shared_ptr<const kernel::PlanState> state;
  size_t pitch_bytes = 0;  // kPlanned: from row to row of output 0 within another value; 0: dense
  std::shared_ptr<const ControlPlan> control;  // kControl
  bool has_followers = false;  // kDynamic: a tail lays out steps that read its outputs
};

enum class OutputMode : uint8_t {
  kDirect,   // steps write into the output's buffer
  kCopy,     // copied at the end from a planned slot, an input, a capture or a constant
  kDynamic,  // handed over (or copied) at the end
};

struct OutputPlan {
  OutputMode mode = OutputMode::kDynamic;
  DType dtype = DType::kUndefined;  // kDirect and kCopy
  Shape shape;                      // kDirect and kCopy
  SlotId donor = kNoSlot;           // kCopy: the donated input in whose bytes it is, as asked
};

// One buffer of the slab, for reports: a value and those that share its bytes, scratch, or the slab
// of the bodies of a control flow step.
struct PlannedBuffer {
  std::string name;
  plan::Lifetime life;
  size_t offset = 0;
  size_t values = 1;  // that lie in it, views not counted
  bool is_scratch = false;
  bool kept = false;                    // a graph output is copied from it after the last step
  const ControlPlan* bodies = nullptr;  // that have it as their slab; the step's
};

// Who found the places of a plan.
enum class PlacedBy : uint8_t {
  kNobody,      // there was nothing to place
  kPortfolio,   // the greedy planners, best of all
  kLocalMoves,  // moves from the best of them
  kSearch,
  kTemplate,  // they are as in a plan for other sizes
  kRoom,      // of a tail: in what is free of a lease
  kNoReuse,   // each has its own
};

// Bodies of control flow that are planned with their owner count: in bytes, the one of a step that
// has the most of them, since they have one place, one after the other, and a Loop or Scan uses it
// again for each iteration; in numbers of values, views, parts and those in place, all of them,
// each once; in requests, the one with the most bytes without reuse.
struct PlanFigures {
  // What is leased for the plan: nothing for a tail that fits where earlier plans left room. And
  // what no placement can do without; and what PlanRules::reuse = false leases for the same sizes,
  // exactly, but for values in donated inputs.
  size_t slab_bytes = 0, bound_bytes = 0, no_reuse_bytes = 0;
  // Leased beside slab_bytes, for tails with values of at most the sizes that kernels promise.
  size_t reserve_bytes = 0;
  size_t planned_values = 0, dynamic_values = 0, constant_values = 0;
  size_t views = 0, in_place = 0;
  // Buffers that a run asks for (values, in place or not, and scratch), no_reuse_bytes in all; and
  // those of them for which a fresh slab has to give bytes that no earlier one of the run had.
  size_t requests = 0, fresh_requests = 0;
  // Values that lie within others, for which nothing is copied, and their bytes.
  size_t parts = 0, part_bytes = 0;
  // Values that are made in the bytes of donated inputs, and their bytes.
  size_t donated_values = 0, donated_bytes = 0;
  // Of the views that are no outputs, each rounded up as a buffer of its own would be: how much
  // more than no_reuse_bytes it would be if they were copied.
  size_t view_bytes = 0;
  PlacedBy placed_by = PlacedBy::kNobody;
  uint64_t solve_ns = 0;  // it took to place them
};

struct Plan {
  std::vector<Binding> bindings;  // an alias comes after its target
  uint32_t first_step = 0;        // of `steps`; of a tail the one that it follows
  std::vector<StepPlan> steps;
  std::vector<size_t> scratch_offsets;
  std::vector<OutputPlan> outputs;  // empty in a tail that lays out none
  // The lease of the run that the offsets are in: 0 is that of the first plan. A tail that opens
  // one takes it, in place of an older one of that number.
  uint32_t region = 0;
  bool opens_region = true;
  std::vector<int64_t> key;  // with has_dynamic: that of the plan; keys of its tails begin with it
  size_t slab_align = kBlockAlign;
  bool has_dynamic = false;   // some step is planned in the run
  uint32_t num_children = 0;  // bodies of all kControl steps
  // By its cache: only runs under way may use it. And when it was used last, as the cache counts.
  // Far from `pace`, which runs of several threads write.
  mutable std::atomic<bool> given_up{false};
  mutable std::atomic<uint64_t> used_at{0};
  PlanFigures figures;
  std::vector<PlannedBuffer> buffers;
  mutable Pace pace;

  size_t lease_bytes() const { return figures.slab_bytes + figures.reserve_bytes; }
  const StepPlan& step(size_t index) const { return steps[index - first_step]; }

  // What the plan holds on the heap, itself included; estimated for the state of kernels.
  size_t HeapBytes() const;
};

}  // namespace waybill::exec
