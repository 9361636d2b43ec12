#include "kernel/reference/support/padding.h"

namespace waybill::kernel::reference {

void ZeroPadding(const TensorView& tensor) {
  const size_t width = DTypeBits(tensor.dtype);
  if (width >= 8) return;
  const size_t bits = static_cast<size_t>(tensor.elems()) * width;
  if (bits % 8 == 0) return;
  tensor.data[bits / 8] &= static_cast<std::byte>((1u << bits % 8) - 1);
}

}  // namespace waybill::kernel::reference
