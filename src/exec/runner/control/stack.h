// Tensors of equal shape put side by side along a new axis, and slices of a tensor taken apart:
// scan outputs and scan inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status/result.h"
#include "exec/runner/run.h"
#include "graph/ir/graph.h"
#include "tensor/tensor/tensor.h"
#include "tensor/value/value.h"

namespace waybill::exec {

// Collects one tensor per iteration.
class Stacker {
 public:
  // Errors: kInvalidArgument when `item` is no tensor or differs from the first in type or shape.
  Status Add(Value item);
  size_t size() const { return items_.size(); }

  // All items along new axis `axis` (from the back when negative) of the result, in reverse order
  // when `reversed`. With no item the type is that of `item`, the body's output, as inferred or
  // else as the file declares it (unknown dims as 0), with a 0.
  // Errors: kInvalidArgument for an axis out of range; kOutOfMemory.
  Result<Value> Stack(int64_t axis, bool reversed, const graph::Value& item,
                      const RunEnv& env) const;

 private:
  std::vector<Value> items_;
};

// Entry `index` of `tensor` along `axis` in [0, rank), without that axis; a borrowed view where it
// is contiguous, else a copy. Errors: kNotImplemented for packed types; kOutOfMemory.
Result<kernel::Slot> SliceAlong(const TensorView& tensor, size_t axis, int64_t index,
                                const RunEnv& env);

}  // namespace waybill::exec
