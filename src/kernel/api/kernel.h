// The kernel contract. A kernel lives in four phases:
//   accept   - static: can this implementation take the node (types, attributes)? If not, why?
//   prepare  - once per session: look at constant inputs, pack weights
//   plan     - once per shape key (or per run, where sizes depend on values): output shapes,
//              scratch, what may share memory
//   run      - many times, from many threads at once: plain pointers, no allocation, no look-ups
// A Kernel is immutable after Prepare; Plan and Run are const and thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "kernel/api/plan_context.h"
#include "kernel/api/prepare_context.h"
#include "kernel/api/run_context.h"

namespace waybill::kernel {

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual Status Prepare(PrepareContext&) { return Status::Ok(); }

  // Must leave every tensor output with a shape, unless its size depends on values not known yet
  // (see PlanContext). The default asks the operator's inference rule.
  virtual Status Plan(PlanContext& ctx) const { return ctx.InferOutputs(); }

  // Writes every wanted output. Errors name what is wrong with values ("index 7 is out of range
  // [-5, 5) of axis 1"); the caller adds node, operator, types and shapes.
  virtual Status Run(RunContext& ctx) const = 0;
};

// "Yes", or the reason of the refusal ("axis 1 is not the last of rank 3").
class Acceptance {
 public:
  static Acceptance Yes() { return Acceptance(); }
  template <typename... Args>
  static Acceptance No(std::string_view pattern, const Args&... args) {
    Acceptance a;
    a.reason_ = Format(pattern, args...);
    return a;
  }
  bool ok() const { return reason_.empty(); }
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

struct KernelImpl {
  std::string_view name;  // "conv.reference", "conv.nhwc": unique per operator, stable in reports
  Acceptance (*accepts)(const graph::NodeRef&);  // null: takes every node that its schema allows
  Result<std::unique_ptr<Kernel>> (*create)(const graph::NodeRef&);
};

// Implementations of one operator over a range of schema versions, fastest first.
struct OpKernels {
  std::string_view domain;  // "" is ai.onnx
  std::string_view op_type;
  int since_first = 1;  // schema since_versions that the list serves, both included
  int since_last = 1 << 30;
  std::span<const KernelImpl> impls;
};

// A provider's table. Looked up at load only.
using KernelTable = std::span<const OpKernels>;

}  // namespace waybill::kernel

#define WB_REFUSE_IF(condition, ...)                                      \
  do {                                                                    \
    if (condition) return ::waybill::kernel::Acceptance::No(__VA_ARGS__); \
  } while (false)
