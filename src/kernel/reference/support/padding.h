// The unused bits of the last byte of a packed tensor: zero, so that equal tensors have equal
// bytes.
#pragma once

#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

// Zeroes the bits behind the last element, for whoever writes elements one by one. Elements of a
// byte and more leave none.
void ZeroPadding(const TensorView& tensor);

}  // namespace waybill::kernel::reference
