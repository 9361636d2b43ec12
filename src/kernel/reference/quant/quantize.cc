// QuantizeLinear: y = saturate(round(x / scale) + zero point).
#include <cmath>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/quant/number.h"
#include "kernel/reference/quant/scale_layout.h"
#include "kernel/reference/quant/tables.h"
#include "kernel/reference/support/padding.h"
#include "tensor/dtype/types.h"

namespace waybill::kernel::reference {

namespace {

struct QuantizeParams {
  int64_t axis, block_size;
  bool saturate;
  DType precision;  // of the division
};

Result<QuantizeParams> ParseQuantize(const graph::NodeRef& node) {
  QuantizeParams params;
  params.axis = node.attrs().Int("axis", 1);
  params.block_size = node.attrs().Int("block_size");
  params.saturate = node.attrs().Int("saturate", 1) != 0;
  const int64_t precision = node.attrs().Int("precision");
  params.precision = IsKnownDType(precision) ? static_cast<DType>(precision) : node.input_dtype(1);
  return params;
}

// x / scale as a value of the type the division is made in.
float Divide(float x, float scale, DType precision) {
  const float quotient = x / scale;
  if (precision == DType::kF16) return static_cast<float>(Half(quotient));
  if (precision == DType::kBF16) return static_cast<float>(BFloat16(quotient));
  return quotient;
}

Status RunQuantize(const QuantizeParams& params, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  const TensorView* zero = ctx.has_input(2) ? &ctx.input(2) : nullptr;
  WB_ASSIGN_OR_RETURN(const ScaleLayout layout,
                      ScaleLayout::Of(x.shape, scale.shape, params.axis, params.block_size));
  if (zero != nullptr && zero->elems() != scale.elems()) {
    return Error(Code::kInvalidArgument, "scale has shape {}, zero point {}", scale.shape,
                 zero->shape);
  }
  WB_ASSIGN_OR_RETURN(const ReadReal read_x, RealReader(x.dtype));
  WB_ASSIGN_OR_RETURN(const ReadReal read_scale, RealReader(scale.dtype));
  WB_ASSIGN_OR_RETURN(const WriteReal write, RealWriter(y.dtype));
  const bool to_integer = IsIntDType(y.dtype);
  ReadReal read_zero;
  if (zero != nullptr) {
    WB_ASSIGN_OR_RETURN(read_zero, RealReader(zero->dtype));
  }
  layout.ForEach([&](int64_t i, int64_t s) {
    const auto at = static_cast<size_t>(s);
    const float quotient = Divide(read_x(x.data, static_cast<size_t>(i)),
                                  read_scale(scale.data, at), params.precision);
    // Integers are rounded before the zero point shifts them, so ties stay ties.
    const double rounded = to_integer ? std::nearbyint(quotient) : quotient;
    const double shift = zero != nullptr ? static_cast<double>(read_zero(zero->data, at)) : 0;
    write(y.data, static_cast<size_t>(i), rounded + shift, params.saturate);
  });
  ZeroPadding(y);
  return Status::Ok();
}

constexpr KernelImpl kQuantize[] = {
    FunctionImpl<QuantizeParams, ParseQuantize, RunQuantize>("quantize_linear.reference")};

constexpr OpKernels kTable[] = {{.op_type = "QuantizeLinear", .impls = kQuantize}};

}  // namespace

KernelTable QuantizeKernels() { return kTable; }

}  // namespace waybill::kernel::reference
