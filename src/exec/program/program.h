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
#include "memory/source/source.h"

namespace waybill {
class ThreadPool;
class WeightLoad;
}  // namespace waybill

namespace waybill::exec {

struct BuildOptions {
  std::span<const kernel::Provider> providers;  // borrowed for the build
  std::shared_ptr<MemorySource> source;         // packed weights and copied constants
  size_t max_plans = 1024;                      // per program; the least recently used goes first
  bool verify_plans = true;                     // prove every placement
  const std::atomic<bool>* cancel = nullptr;    // polled between nodes; may be null
  ThreadPool* pool = nullptr;                   // packs weights; null: the caller alone
  RunBook* book = nullptr;                      // of all accounts of runs; null: one of its own
  size_t width = 1;
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
};

// The kernel of one node and the implementations that refused before it.
struct KernelChoice {
  std::string node;  // "/l1/conv (Conv-11)"; nodes of bodies are prefixed with their owner's name
  std::string_view impl;  // static text
  std::string provider;
  std::vector<kernel::Refusal> refusals;
};

struct BuildReport {
  int64_t select_ns = 0, pack_ns = 0;
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
  const Program& body(uint32_t index) const { return *bodies_[index]; }
  size_t num_bodies() const { return bodies_.size(); }
  bool verify_plans() const { return verify_plans_; }

  PlanCache& plans() const { return plans_; }
  FramePool& frames() const { return frames_; }
  // Of the runs of this program; each body has its own.
  RunAccount& account() const { return *account_; }
  // Sums of this program and its bodies.
  RunTotals Totals() const;

 private:
  friend class ProgramBuilder;
  explicit Program(size_t max_plans) : plans_(max_plans) {}

  const graph::Graph* graph_ = nullptr;
  std::vector<std::unique_ptr<kernel::Kernel>> kernels_;
  std::vector<Step> steps_;
  std::vector<SlotInfo> slots_;
  std::vector<SlotId> inputs_, outputs_;
  std::vector<std::pair<SlotId, SlotId>> captures_;
  std::vector<PlacedConstant> constants_;
  std::vector<std::unique_ptr<Program>> bodies_;
  bool verify_plans_ = true;
  mutable PlanCache plans_;
  mutable FramePool frames_;
  std::shared_ptr<RunAccount> account_;
};

}  // namespace waybill::exec
