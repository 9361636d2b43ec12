// The lists that table.cc puts together, one per operator family.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::cpu {

std::span<const kernel::OpKernels> TileKernels();
std::span<const kernel::OpKernels> MatMulKernels();
std::span<const kernel::OpKernels> GemmKernels();
std::span<const kernel::OpKernels> ConvKernels();
std::span<const kernel::OpKernels> ByteKernels();  // of 8-bit integers
std::span<const kernel::OpKernels> NhwcConvKernels();

}  // namespace waybill::cpu
