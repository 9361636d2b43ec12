// Runs one node once, outside any plan: constant folding, shape arithmetic at planning time and
// kernel tests all go through here, so they use the kernels exactly as a run does.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "kernel/api/kernel.h"
#include "memory/source/source.h"
#include "tensor/value/value.h"

namespace waybill::kernel {

struct InvokeOptions {
  std::shared_ptr<MemorySource> source;               // outputs and scratch; required
  MemoryTag tag = MemoryTag::kDynamic;                // of outputs
  size_t max_output_bytes = static_cast<size_t>(-1);  // refused (kInvalidArgument) beyond
  ThreadPool* pool = nullptr;
  size_t width = 1;
  // What the kernel planned for inputs of these types, shapes and contents, as far as it reads
  // them, at this width. Borrowed; null: it plans now.
  const PlanRecord* planned = nullptr;
};

// `inputs` has one entry per node input, undefined where omitted; `kernel` is prepared. Returns one
// Value per node output, undefined where omitted. Outputs own their bytes, except that a view
// shares the storage of its input.
Result<std::vector<Value>> Invoke(const Kernel& kernel, const graph::NodeRef& node,
                                  std::span<const Value> inputs, const InvokeOptions& options);

}  // namespace waybill::kernel
