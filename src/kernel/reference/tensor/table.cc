#include "kernel/reference/reference.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

KernelTable TensorKernels() {
  static constexpr int kLast = 1 << 30;
  static const OpKernels kTable[] = {
      {"", "Shape", 1, kLast, kShape},
      {"", "Size", 1, kLast, kSize},
      {"", "Reshape", 1, kLast, kReshape},
      {"", "Flatten", 1, kLast, kFlatten},
      {"", "Identity", 1, kLast, kIdentity},
      {"", "Squeeze", 1, kLast, kSqueeze},
      {"", "Unsqueeze", 1, kLast, kUnsqueeze},
      {"", "Transpose", 1, kLast, kTranspose},
      {"", "Concat", 1, kLast, kConcat},
      {"", "Split", 1, kLast, kSplit},
      {"", "Slice", 1, kLast, kSlice},
      {"", "Pad", 1, kLast, kPad},
      {"", "Expand", 1, kLast, kExpand},
      {"", "Tile", 1, kLast, kTile},
      {"", "Gather", 1, kLast, kGather},
      {"", "GatherElements", 1, kLast, kGatherElements},
      {"", "GatherND", 1, kLast, kGatherND},
      {"", "OneHot", 1, kLast, kOneHot},
      {"", "EyeLike", 1, kLast, kEyeLike},
      {"", "ConstantOfShape", 1, kLast, kConstantOfShape},
  };
  return kTable;
}

}  // namespace waybill::kernel::reference
