// What kernels say of sharing memory, tried out: outputs in the bytes of inputs, inputs within
// outputs.
#pragma once

#include <memory>
#include <span>

#include "base/status/status.h"
#include "kernel/api/kernel.h"
#include "memory/source/source.h"
#include "tensor/value/value.h"

namespace waybill::test {

// Runs the kernel once for each way of sharing that its plan allows. `outputs` are what it gave
// without. Errors: kInternal when it gives other bits; those of the kernel.
Status CheckSharing(const kernel::Kernel& kernel, const graph::NodeRef& node,
                    std::span<const Value> inputs, std::span<const Value> outputs,
                    const std::shared_ptr<MemorySource>& source);

}  // namespace waybill::test
