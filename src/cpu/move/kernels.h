// The implementations of this family, for its table. Each is defined in the file of its operator.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::cpu {

extern const kernel::KernelImpl kTransposeMove[1];
extern const kernel::KernelImpl kConcatMove[1], kSplitMove[1], kSliceMove[1];
extern const kernel::KernelImpl kExpandMove[1], kTileMove[1], kPadMove[1];
extern const kernel::KernelImpl kDepthToSpaceMove[1], kSpaceToDepthMove[1];
extern const kernel::KernelImpl kGatherMove[1], kOneHotMatMulMove[1];

}  // namespace waybill::cpu
