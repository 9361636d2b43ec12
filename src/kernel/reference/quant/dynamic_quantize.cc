// DynamicQuantizeLinear: scale and zero point from the range of the data, 0 included.
#include <algorithm>
#include <cmath>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/quant/tables.h"

namespace waybill::kernel::reference {

namespace {

uint8_t ToByte(float value) {
  const float rounded = std::nearbyint(value);
  return rounded >= 0 ? static_cast<uint8_t>(std::min(rounded, 255.0f)) : uint8_t{0};
}

Status RunDynamicQuantize(RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  float low = 0, high = 0;
  for (const float value : x.span<const float>()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Without any range every scale is right; 1 avoids a division by zero.
  const float scale = high == low ? 1.0f : (high - low) / 255.0f;
  const uint8_t zero = ToByte(0.0f - low / scale);
  if (ctx.wants_output(0)) {
    uint8_t* y = ctx.output(0).as<uint8_t>();
    for (const float value : x.span<const float>()) {
      *y++ = ToByte(std::nearbyint(value / scale) + static_cast<float>(zero));
    }
  }
  if (ctx.wants_output(1)) ctx.output(1).as<float>()[0] = scale;
  if (ctx.wants_output(2)) ctx.output(2).as<uint8_t>()[0] = zero;
  return Status::Ok();
}

constexpr KernelImpl kDynamicQuantize[] = {
    FunctionImpl<RunDynamicQuantize>("dynamic_quantize_linear.reference")};

constexpr OpKernels kTable[] = {{.op_type = "DynamicQuantizeLinear", .impls = kDynamicQuantize}};

}  // namespace

KernelTable DynamicQuantizeKernels() { return kTable; }

}  // namespace waybill::kernel::reference
