// Lays a program out for one set of input shapes: asks every kernel to plan, computes what is known
// already, decides who shares memory, and places the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "exec/plan/layout.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::exec {

struct PlanOptions {
  std::shared_ptr<MemorySource> source;  // results computed at planning
  size_t width = 1;
  std::span<const int64_t> key;  // of the plan
  // Of a main program. A plan that leaves anything open makes nothing in donated bytes: what its
  // tails read of them is not known yet.
  std::span<const Donation> donated;
  // Whether captures that come with contents have them in every run of the plan: of a body that is
  // planned with its owner.
  bool known_captures = false;
};

// A plan leases more than it needs itself, so that its tail fits beside it with values of at most
// the sizes that kernels promise, where that is no more than a tenth of it or this.
inline constexpr size_t kSmallReserveBytes = size_t{64} << 10;

// Largest output that is computed at planning.
inline constexpr int64_t kMaxFoldedElems = 4096;
inline constexpr size_t kMaxFoldedBytes = size_t{64} << 10;

// `slots` has one entry per slot of the program, those of inputs, captures and constants filled;
// the bytes of inputs and captures are not read. Errors: what kernels report, with the node named.
Result<std::shared_ptr<const Plan>> MakePlan(const Program& program, std::span<const Slot> slots,
                                             const PlanOptions& options);

// Where a run has found out sizes that its plan left open.
struct Cut {
  uint32_t step = 0;
  // Of the step, whose outputs and scratch get places; or none: its outputs own their bytes.
  std::vector<kernel::PlanRecord::Output> outputs;
  std::vector<kernel::ScratchBooking> scratch;
};

// The plan that follows `earlier`, the plan of a run and its tails so far, from the cut on. It lays
// out what can be laid out now; `slots` are those of the run. Errors: as MakePlan.
Result<std::shared_ptr<const Plan>> MakeTail(const Program& program, std::span<const Slot> slots,
                                             std::span<const Plan* const> earlier, const Cut& cut,
                                             const PlanOptions& options);

// The leases of a run with these plans, and what they have in them from `step` on.
std::vector<Region> RegionsAt(std::span<const Plan* const> plans, uint32_t step);

// Appends the key of these inputs and captures: width, what is donated, then types and shapes.
void AppendPlanKey(const Program& program, std::span<const Slot> slots, size_t width,
                   std::span<const Donation> donated, std::vector<int64_t>& key);
// Types and shapes of the program's inputs in such a key, without bytes; nothing for what is no
// tensor, no entries without a key.
std::vector<std::optional<TensorView>> InputsOfKey(const Program& program,
                                                   std::span<const int64_t> key);

}  // namespace waybill::exec
