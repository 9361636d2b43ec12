// Element access by function pointer, for quantized types of every width: one pointer is chosen per
// tensor, so that no kernel is instantiated for every pair of types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status/result.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

struct ReadReal {
  float (*read)(const std::byte* data, size_t i) = nullptr;
  float operator()(const std::byte* data, size_t i) const { return read(data, i); }
};
struct ReadInt {
  int64_t (*read)(const std::byte* data, size_t i) = nullptr;
  int64_t operator()(const std::byte* data, size_t i) const { return read(data, i); }
};
// Rounds `value` to the type: to nearest even, at the type's range.
struct WriteReal {
  void (*write)(std::byte* data, size_t i, double value, bool saturate) = nullptr;
  void operator()(std::byte* data, size_t i, double value, bool saturate) const {
    write(data, i, value, saturate);
  }
};

// Floats of every width and integers up to 32 bits. Errors: kNotImplemented naming the type.
Result<ReadReal> RealReader(DType dtype);
// Integers up to 32 bits.
Result<ReadInt> IntReader(DType dtype);
// Integers up to 32 bits, float8 and float4, float, float16, bfloat16.
Result<WriteReal> RealWriter(DType dtype);

}  // namespace waybill::kernel::reference
