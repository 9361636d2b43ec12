// Frame: what one run in progress writes. Frames of finished runs are kept, so that a warm run
// takes no heap memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread/sharded.h"
#include "exec/program/step.h"
#include "exec/runner/account.h"
#include "kernel/api/plan_context.h"
#include "memory/source/lease.h"
#include "tensor/tensor/tensor.h"

namespace waybill::exec {

struct Plan;
class Program;

// What a step decided that is planned in the run, for as long as its inputs keep their shapes, and
// small ones their contents where these count.
struct DynamicPlan {
  struct Input {
    DType dtype = DType::kUndefined;
    Shape shape;
    std::vector<std::byte> contents;  // if they count
  };
  enum class Needs : uint8_t { kShapes, kSmallContents, kAllContents };
  bool valid = false;
  Needs needs = Needs::kShapes;  // to be complete; kAllContents: planned anew each time
  std::vector<Input> inputs;     // undefined where omitted
  kernel::PlanRecord record;
};

// An input whose bytes the run may overwrite: they are lost to the caller, but for an output that
// is to lie in all of them.
struct Donation {
  static constexpr uint32_t kNoOutput = UINT32_MAX;
  uint32_t input = 0;           // of the program
  uint32_t output = kNoOutput;  // of the program
};

// A further plan of the run, laid out when it had found out a size.
struct Tail {
  std::shared_ptr<const Plan> plan;
  std::vector<std::byte*> scratch;
  std::byte* bound_slab = nullptr;  // address that its slots and `scratch` point into
};

struct Frame {
  RunAccount::PageHandle account;         // of the program
  std::vector<Slot> slots;                // constants are set for the frame's whole life
  std::vector<std::byte*> scratch;        // of all steps of the plan
  std::vector<Tensor> outputs;            // one per graph output, where it is written directly
  std::vector<std::byte*> output_places;  // one per graph output: where it is to be
  std::vector<int64_t> key;               // of the current run
  std::vector<Donation> donated;          // to the current run
  std::vector<DynamicPlan> dynamic;       // by step, where `plan` has dynamic ones
  std::shared_ptr<const Plan> plan;       // the plan whose views the slots hold
  std::vector<int64_t> plan_key;          // its key; empty where it came without one
  std::shared_ptr<const Plan> next;       // the plan of the run until it is adopted, if it differs
  Lease slab;                             // empty between runs and in frames of bodies
  std::byte* bound_slab = nullptr;        // slab address that `slots` and `scratch` point into
  // Where `plan` has dynamic steps. Tails of the last run are kept: most often they come again.
  std::vector<Tail> tails;
  uint32_t num_tails = 0;       // those of this run so far
  std::vector<Lease> regions;   // leases of tails: region 1 and on
  std::vector<uint32_t> home;   // by step: who laid it out, see segments.cc
  std::vector<uint8_t> owned;   // by step: whether its outputs own their bytes
  bool may_start_anew = false;  // admitted by bytes: what it has no place for it waits for outside
  size_t refused_bytes = 0;     // of the tail that the budget refused
  size_t later_bytes = 0;       // to be reserved for tails
  // Of the bodies of steps that `plan` has plans of, see ControlPlan.
  struct Child {
    const Program* body;
    std::unique_ptr<Frame> frame;  // null without a plan
  };
  std::vector<Child> children;
};

// Free frames of one program, about kMaxFree of them at most: those of the callers that run at the
// same time. Thread-safe; a thread that gives one frame back after the other takes no lock and gets
// the same one again, whose bytes are in its cache.
class FramePool {
 public:
  static constexpr size_t kMaxFree = 64;

  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool() { Clear(); }

  // Nothing when none is free.
  std::unique_ptr<Frame> Take() noexcept;
  // Frees the frame when there are enough.
  void Give(std::unique_ptr<Frame> frame) noexcept;
  // Frees all; those of runs under way stay theirs.
  void Clear() noexcept;
  size_t free() const;

 private:
  Sharded<std::atomic<Frame*>> last_;  // given back last; owned
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> free_;  // the others
};

}  // namespace waybill::exec
