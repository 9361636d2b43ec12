#include "cpu/kernels/table.h"

#include <vector>

#include "cpu/kernels/lists.h"

namespace waybill::cpu {

kernel::KernelTable Kernels() {
  static const std::vector<kernel::OpKernels> table = [] {
    std::vector<kernel::OpKernels> all;
    const std::span<const kernel::OpKernels> parts[] = {
        // clang-format off
        TileKernels(),
        TypedKernels(),
        MatMulKernels(),
        GemmKernels(),
        FusedMatMulKernels(),
        AttentionKernels(),
        RotaryKernels(),
        EinsumKernels(),
        RecurrentKernels(),
        ConvKernels(),
        ByteKernels(),
        NhwcConvKernels(),
        NhwcPoolKernels(),
        NhwcTransposedKernels(),
        NhwcLrnKernels(),
        SoftmaxKernels(),
        LayerNormKernels(),
        AxisNormKernels(),
        SkipNormKernels(),
        ChannelNormKernels(),
        ReduceKernels(),
        ArgKernels(),
        MoveKernels(),
        TreeKernels(),
        GeneralKernels(),
        ResizeKernels(),
        PlanarPoolKernels(),
        HalfKernels(),
        // clang-format on
    };
    for (const auto part : parts) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace waybill::cpu
