// One step of a program: a kernel or a control flow node, with the slots it reads and writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir/graph.h"
#include "kernel/api/kernel.h"

namespace waybill::exec {

using kernel::kNoSlot;
using kernel::Slot;
using kernel::SlotId;

enum class StepKind : uint8_t { kKernel, kIf, kLoop, kScan, kSequenceMap };

struct Step {
  StepKind kind = StepKind::kKernel;
  const graph::Node* node = nullptr;       // of the program's graph
  const kernel::Kernel* kernel = nullptr;  // kKernel only
  std::string_view impl;                   // the kernel's name: static text
  std::vector<SlotId> inputs, outputs;     // kNoSlot: omitted, or an output nobody reads
  std::vector<uint32_t> bodies;            // Program::bodies, in the order that `kind` defines
  std::vector<SlotId> captured;            // slots that the bodies read
  std::vector<SlotId> release;             // slots of earlier or this step read here last
  bool pure = true;                        // the same inputs give the same outputs
  bool always_dynamic = false;  // control flow, or an output that is a string or not a tensor
};

// Where the contents of a slot come from, as far as the program alone decides it.
enum class Origin : uint8_t { kStep, kInput, kCapture, kConstant };

struct SlotInfo {
  graph::ValueId value = graph::kNoValue;
  Origin origin = Origin::kStep;
  bool is_output = false;
  uint32_t producer = 0;   // step, for kStep
  uint32_t last_read = 0;  // last step that reads it, its producer when none does
};

// "node /l1/conv (Conv-11) (opset 17) on (float [1, 3], int64 [2])": context for errors of a step.
std::string DescribeStep(const Step& step, const Slot* slots);

}  // namespace waybill::exec
