#include "cpu/kernels/lists.h"
#include "cpu/move/kernels.h"

namespace waybill::cpu {

std::span<const kernel::OpKernels> MoveKernels() {
  static constexpr int kLast = 1 << 30;
  static const kernel::OpKernels kTable[] = {
      {"", "Transpose", 1, kLast, kTransposeMove},
      {"", "Concat", 1, kLast, kConcatMove},
      {"", "Split", 1, kLast, kSplitMove},
      {"", "Slice", 1, kLast, kSliceMove},
      {"", "Expand", 1, kLast, kExpandMove},
      {"", "Tile", 6, kLast, kTileMove},
      {"", "Pad", 1, kLast, kPadMove},
      {"", "Gather", 1, kLast, kGatherMove},
      {"", "DepthToSpace", 1, kLast, kDepthToSpaceMove},
      {"", "SpaceToDepth", 1, kLast, kSpaceToDepthMove},
      {graph::kInternalDomain, "OneHotMatMul", 1, 1, kOneHotMatMulMove},
  };
  return kTable;
}

}  // namespace waybill::cpu
