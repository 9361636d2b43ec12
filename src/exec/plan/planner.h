// Lays a program out for one set of input shapes: asks every kernel to plan, computes what is known
// already, decides who shares memory, and places the rest.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/status/result.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::exec {

struct PlanOptions {
  std::shared_ptr<MemorySource> source;  // results computed at planning
  size_t width = 1;
};

// Largest output that is computed at planning.
inline constexpr int64_t kMaxFoldedElems = 4096;
inline constexpr size_t kMaxFoldedBytes = size_t{64} << 10;

// `slots` has one entry per slot of the program, those of inputs, captures and constants filled;
// the bytes of inputs and captures are not read. Errors: what kernels report, with the node named.
Result<std::shared_ptr<const Plan>> MakePlan(const Program& program, std::span<const Slot> slots,
                                             const PlanOptions& options);

// Appends the shape key of these inputs and captures: width, then types and shapes.
void AppendPlanKey(const Program& program, std::span<const Slot> slots, size_t width,
                   std::vector<int64_t>& key);

}  // namespace waybill::exec
