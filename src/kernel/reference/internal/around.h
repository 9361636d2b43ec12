// Internal operators that are an ONNX operator on [N, spatial..., C], with an expression behind it.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

// How an internal operator wraps the ONNX operator of the same name.
struct AroundSpec {
  size_t core_inputs = 1;       // inputs of the ONNX operator; those of the epilogue follow
  bool always_last = false;     // data is [N, spatial..., C] even without `channels_last`
  const KernelImpl* core = {};  // the ONNX operator's reference kernel
};

// The kernel moves channels to where ONNX has them, runs the core on that, moves them back, and
// applies attribute `expr`, if there is one, to the result (x0) and to the inputs behind the core's
// (x1, x2, ...).
Result<std::unique_ptr<Kernel>> MakeAround(const graph::NodeRef& node, const AroundSpec& spec);

}  // namespace waybill::kernel::reference
