// The lists of 8-bit operators.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::cpu {

std::span<const kernel::OpKernels> ByteConvKernels();
std::span<const kernel::OpKernels> ByteMatMulKernels();
std::span<const kernel::OpKernels> QuantizeKernels();
std::span<const kernel::OpKernels> QLinearAddKernels();
std::span<const kernel::OpKernels> QLinearPoolKernels();

}  // namespace waybill::cpu
