// Runs programs: one frame, one plan, one slab lease, one loop over the steps.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "base/status/result.h"
#include "exec/program/program.h"
#include "memory/source/source.h"
#include "tensor/value/value.h"

namespace waybill {
class Admission;
class SlabPool;
class ThreadPool;
}  // namespace waybill

namespace waybill::exec {

class StepWatcher;

// What a run may use. All borrowed for the run.
struct RunEnv {
  const std::shared_ptr<MemorySource>* slabs = nullptr;    // leases, tagged kSlab
  const std::shared_ptr<MemorySource>* dynamic = nullptr;  // outputs and dynamic values
  // What plans keep, which other sessions use too; null: `dynamic`.
  const std::shared_ptr<MemorySource>* constants = nullptr;
  ThreadPool* pool = nullptr;  // null: alone
  size_t width = 1;
  const std::atomic<bool>* terminate = nullptr;  // polled between steps; may be null
  Admission* admission = nullptr;                // null: runs start at once
  uint32_t max_inflight = 0;                     // runs with a slab at once; 0: any number
  bool counts_small_slabs = false;               // whether runs with small slabs count too
  int64_t admission_timeout_ms = -1;             // negative: waits as long as it takes; 0: not
  SlabPool* slab_pool = nullptr;                 // `slabs`, where these are a pool's
  StepWatcher* watcher = nullptr;                // told of each step; may be null
  // Whether a given output of another shape is used where its bytes are enough: it then takes the
  // shape of the output. Off: the shapes must be equal.
  bool reshape_outputs = false;
  // Inputs that the run may overwrite; others are never written. Their tensors share bytes with no
  // other input, and with no given output but the one they name, which is all of their bytes.
  std::span<const Donation> donated;

  const std::shared_ptr<MemorySource>& plan_source() const {
    return constants != nullptr ? *constants : *dynamic;
  }
};

// Runs a main program. `inputs` has one value per graph input, read in place; `outputs` one per
// graph output: a defined tensor is written in place, an undefined Value is filled with a fresh
// one that shares no bytes with inputs, constants or other outputs. A defined output may lie over
// bytes of inputs: these are then copied before anything is written, but where that output is asked
// for in a donated input and steps can write it there.
// Errors: kInvalidArgument for a defined output of a wrong type or shape; kCancelled; kOutOfMemory
// for one that is too large for the budget or was not admitted in time; what kernels report, with
// the node named. Thread-safe: runs share nothing but the program.
Status Run(const Program& program, const RunEnv& env, std::span<const Value* const> inputs,
           std::span<Value> outputs);

// Runs the body of a control flow step. `inputs` are borrowed slots; `outer` are the slots of the
// enclosing frame. `outputs` are all filled; they own their bytes or share those of inputs and
// captures that own theirs. Errors: as Run.
Status RunBody(const Program& body, const RunEnv& env, std::span<const Slot> inputs,
               const Slot* outer, std::span<Value> outputs);

// The same with a plan that was made beforehand and has no dynamic step: `frame` is the body's,
// with its plan, its inputs set and a place for each output; `slab` has room for the plan.
Status RunBodyInPlan(const Program& body, const RunEnv& env, const Slot* outer, std::byte* slab,
                     Frame& frame);

// Plans for these inputs, whose bytes are not read, and leaves a frame and a slab ready for one run
// with them: their pages are there. The slab is waited for like that of a run. Errors: as PlanFor;
// kOutOfMemory and kCancelled as Run.
Status Prewarm(const Program& program, const RunEnv& env, std::span<const TensorView> inputs);

// The plan that Run would use for these inputs; their bytes are not read. Counted as a use of the
// plan cache.
Result<std::shared_ptr<const Plan>> PlanFor(const Program& program, const RunEnv& env,
                                            std::span<const TensorView> inputs);

}  // namespace waybill::exec
