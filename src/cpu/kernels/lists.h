// The lists that table.cc puts together, one per operator family.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::cpu {

std::span<const kernel::OpKernels> TileKernels();
std::span<const kernel::OpKernels> MatMulKernels();
std::span<const kernel::OpKernels> GemmKernels();
std::span<const kernel::OpKernels> FusedMatMulKernels();
std::span<const kernel::OpKernels> AttentionKernels();
std::span<const kernel::OpKernels> RotaryKernels();
std::span<const kernel::OpKernels> EinsumKernels();
std::span<const kernel::OpKernels> HalfKernels();
std::span<const kernel::OpKernels> RecurrentKernels();
std::span<const kernel::OpKernels> ConvKernels();
std::span<const kernel::OpKernels> ByteKernels();  // of 8-bit integers
std::span<const kernel::OpKernels> NhwcConvKernels();
std::span<const kernel::OpKernels> NhwcPoolKernels();
std::span<const kernel::OpKernels> NhwcTransposedKernels();
std::span<const kernel::OpKernels> NhwcLrnKernels();
std::span<const kernel::OpKernels> TypedKernels();
std::span<const kernel::OpKernels> SoftmaxKernels();
std::span<const kernel::OpKernels> LayerNormKernels();
std::span<const kernel::OpKernels> AxisNormKernels();
std::span<const kernel::OpKernels> SkipNormKernels();
std::span<const kernel::OpKernels> ChannelNormKernels();
std::span<const kernel::OpKernels> ReduceKernels();
std::span<const kernel::OpKernels> ArgKernels();
std::span<const kernel::OpKernels> MoveKernels();
std::span<const kernel::OpKernels> TreeKernels();
std::span<const kernel::OpKernels> GeneralKernels();
std::span<const kernel::OpKernels> ResizeKernels();
std::span<const kernel::OpKernels> PlanarPoolKernels();

}  // namespace waybill::cpu
