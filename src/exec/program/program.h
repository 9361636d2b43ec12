// Program: a graph with its chosen kernels as a flat list of steps over numbered slots. Immutable
// after Build but for its plan cache and free frames, which lock themselves; runs of many threads
// share it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status/result.h"
#include "exec/plan/plan_cache.h"
#include "exec/program/step.h"
#include "exec/runner/account.h"
#include "exec/runner/frame.h"
#include "graph/ir/graph.h"
#include "kernel/select/select.h"
#include "memory/plan/templates.h"
#include "memory/source/source.h"

namespace waybill {
class ThreadPool;
class WeightLoad;
}  // namespace waybill

namespace waybill::exec {

struct BuildSurvey;

// How the plans of a program are made and run.
struct PlanRules {
  bool verify = true;  // prove every placement
  // False gives every value and all scratch a place of its own, and nothing is made in place.
  bool reuse = true;
  // Tests: bytes of the slab that nobody needs any more, and those that nobody has written yet, are
  // all ones (NaN as floats), so that reading them shows.
  bool poison_freed = false;
  // Whether a plan for new sizes may be placed as one for others was.
  bool templates = true;
};

struct BuildOptions {
  std::span<const kernel::Provider> providers;  // borrowed for the build
  std::shared_ptr<MemorySource> source;         // packed weights and copied constants
  PlanCacheLimits plan_limits;                  // bytes: of the program and its bodies together
  PlanRules rules;
  const std::atomic<bool>* cancel = nullptr;  // polled between nodes; may be null
  ThreadPool* pool = nullptr;                 // packs weights; null: the caller alone
  RunBook* book = nullptr;                    // of all accounts of runs; null: one of its own
  size_t width = 1;
  // Whether steps may leave the order of the graph where less is alive at once in another one.
  bool order_steps = false;
  // Whether kernels may pack constants. If not, they are given those of 4 KiB and more as values
  // that only runs know.
  bool pack = true;
  // Where the graph's constants come from and what is shared with other programs; borrowed for the
  // build. Null: nothing is shared.
  WeightLoad* weights = nullptr;
  // Told, as early as possible and from any thread that packs, that a constant of 4 KiB or more is
  // not read any more as it is: `instead` may take its place in the graph, of the same type and
  // shape, without bytes (a null address) where nobody reads any. Empty: the graph stays as it is.
  std::function<void(const graph::Graph&, graph::ValueId, const graph::Constant& instead)> let_go;
  // Set by SurveyWeights only: nothing is packed, placed or let go, it is noted there.
  BuildSurvey* survey = nullptr;
};

// The kernel of one node and the implementations that refused before it.
struct KernelChoice {
  std::string node;  // "/l1/conv (Conv-11)"; nodes of bodies are prefixed with their owner's name
  std::string_view impl;  // static text
  std::string provider;
  std::vector<kernel::Refusal> refusals;
};

// How the order of a program's steps was decided.
struct StepOrder {
  size_t moved_steps = 0;        // that are elsewhere than in the graph
  size_t graph_bound_bytes = 0;  // of the plan in the order of the graph
  size_t bound_bytes = 0;        // and in that of the program
  int64_t open_dims = 0;         // what open dimensions were taken to be for these; 0: none is open
  std::string not_tried;         // why no other order than that of the graph was looked for, if so
};

struct BuildReport {
  int64_t select_ns = 0, pack_ns = 0, order_ns = 0;
  size_t copied_constant_bytes = 0;  // misaligned or splat constants that had to be written out
  size_t dropped_constants = 0;      // replaced by packed forms
  std::vector<KernelChoice> choices;
};

struct PlacedConstant {
  SlotId slot = kNoSlot;
  Tensor tensor;
};

class Program {
 public:
  // `graph` must outlive the program and stay as it is, but for what let_go does. Errors:
  // kNotImplemented when no kernel takes a node; those of Prepare; kCancelled.
  static Result<std::unique_ptr<Program>> Build(const graph::Graph& graph,
                                                const BuildOptions& options, BuildReport& report);

  const graph::Graph& graph() const { return *graph_; }
  std::span<const Step> steps() const { return steps_; }
  std::span<const SlotInfo> slots() const { return slots_; }
  const graph::Value& value_of(SlotId slot) const { return graph_->value(slots_[slot].value); }

  // One slot per graph input and output, in their order.
  std::span<const SlotId> inputs() const { return inputs_; }
  std::span<const SlotId> outputs() const { return outputs_; }
  // Slot of the enclosing program, slot here. Empty for a main program.
  std::span<const std::pair<SlotId, SlotId>> captures() const { return captures_; }
  std::span<const PlacedConstant> constants() const { return constants_; }
  // Puts them into the slots of a frame.
  void SetConstants(std::span<Slot> slots) const;
  const Program& body(uint32_t index) const { return *bodies_[index]; }
  size_t num_bodies() const { return bodies_.size(); }
  const PlanRules& rules() const { return rules_; }
  const StepOrder& step_order() const { return step_order_; }

  PlanCache& plans() const { return plans_; }
  // By the key of the plan that they follow, and what runs found out since.
  PlanCache& tails() const { return tails_; }
  // Of plans and tails; their bytes are those of plans too.
  plan::Templates& templates() const { return templates_; }
  FramePool& frames() const { return frames_; }
  // Gives up the plans, templates and free frames, those of bodies too: later runs make them again.
  // Runs under way keep theirs.
  void Trim() const noexcept;
  // Of the runs of this program; each body has its own.
  RunAccount& account() const { return *account_; }
  // Sums of this program and its bodies.
  RunTotals Totals() const;

 private:
  friend class ProgramBuilder;
  Program(size_t max_plans, const std::shared_ptr<PlanBytes>& bytes)
      : plans_(max_plans, bytes),
        tails_(max_plans, bytes),
        templates_(bytes->most() / 8, PlanBytes::UsedOf(bytes)) {}

  const graph::Graph* graph_ = nullptr;
  std::shared_ptr<RunAccount> account_;  // lives longer than the frames
  std::vector<std::unique_ptr<kernel::Kernel>> kernels_;
  std::vector<Step> steps_;
  std::vector<SlotInfo> slots_;
  std::vector<SlotId> inputs_, outputs_;
  std::vector<std::pair<SlotId, SlotId>> captures_;
  std::vector<PlacedConstant> constants_;
  std::vector<std::unique_ptr<Program>> bodies_;
  PlanRules rules_;
  StepOrder step_order_;
  mutable PlanCache plans_, tails_;
  mutable plan::Templates templates_;
  mutable FramePool frames_;
};

}  // namespace waybill::exec
