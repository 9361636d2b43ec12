// Control flow whose shapes are all known before the run: its bodies are laid out too, in scratch
// of the step, and write where the step's outputs are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "exec/plan/planner.h"

namespace waybill::exec {

struct ControlPlan {
  static constexpr size_t kNone = static_cast<size_t>(-1);
  // Scratch of the step: the slab of whichever body runs, and of a Loop what it counts and asks.
  static constexpr size_t kSlab = 0, kScalars = 1;
  static constexpr size_t kScalarStride = kBlockAlign;  // count, condition in, condition out

  // Of each of the step's. None for a branch that no run with this plan takes, and for one that the
  // inputs do not fit: the run plans it when it is taken, and reports why it cannot.
  std::vector<std::shared_ptr<const Plan>> bodies;
  std::vector<std::string> not_planned;  // by body: why, for people; empty where it is planned
  uint32_t first_child = 0;              // their frames in that of the run
  size_t num_carried = 0;  // Loop: carried values; Scan: states; they are the first outputs
  // By output of the step: scratch that stands in for one that nobody reads; of a carried value
  // also scratch for every other iteration; bytes of a result, or of one entry of it.
  std::vector<size_t> stand_in, spare, bytes;

  // Scan: values that are taken apart or put together, one entry for each iteration.
  struct Entries {
    TensorView type;  // of an entry; no data
    size_t bytes = 0;
    bool reversed = false;
  };
  std::vector<Entries> scanned, stacked;
  int64_t length = 0;  // iterations

  // The most that one of the planned bodies has of a figure.
  size_t Most(size_t PlanFigures::*figure) const;
  // The planned body with the most bytes without reuse; there is one.
  const Plan* Widest() const;
};

// What a control flow step books.
struct ControlRecord {
  std::shared_ptr<ControlPlan> plan;
  std::vector<TensorView> outputs;  // types and shapes
  std::vector<kernel::ScratchBooking> scratch;
};

// `slots` have types and shapes where these are known. Nothing for a step of which some shape is
// known in the run only. Errors: kOutOfMemory.
Result<std::optional<ControlRecord>> PlanControl(const Program& program, const Step& step,
                                                 std::span<const Slot> slots,
                                                 const PlanOptions& options);

}  // namespace waybill::exec
