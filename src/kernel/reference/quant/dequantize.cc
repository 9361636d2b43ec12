// DequantizeLinear: y = (x - zero point) * scale.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/quant/number.h"
#include "kernel/reference/quant/scale_layout.h"
#include "kernel/reference/quant/tables.h"

namespace waybill::kernel::reference {

namespace {

struct DequantizeParams {
  int64_t axis, block_size;
};
Result<DequantizeParams> ParseDequantize(const graph::NodeRef& node) {
  return DequantizeParams{node.attrs().Int("axis", 1), node.attrs().Int("block_size")};
}

Status RunDequantize(const DequantizeParams& params, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  const TensorView* zero = ctx.has_input(2) ? &ctx.input(2) : nullptr;
  WB_ASSIGN_OR_RETURN(const ScaleLayout layout,
                      ScaleLayout::Of(x.shape, scale.shape, params.axis, params.block_size));
  if (zero != nullptr && zero->elems() != scale.elems()) {
    return Error(Code::kInvalidArgument, "scale has shape {}, zero point {}", scale.shape,
                 zero->shape);
  }
  WB_ASSIGN_OR_RETURN(const ReadReal read_scale, RealReader(scale.dtype));
  WB_ASSIGN_OR_RETURN(const WriteReal write, RealWriter(y.dtype));
  if (IsIntDType(x.dtype)) {  // the difference is exact
    WB_ASSIGN_OR_RETURN(const ReadInt read, IntReader(x.dtype));
    layout.ForEach([&](int64_t i, int64_t s) {
      const int64_t shift = zero != nullptr ? read(zero->data, static_cast<size_t>(s)) : 0;
      const auto value = static_cast<float>(read(x.data, static_cast<size_t>(i)) - shift);
      write(y.data, static_cast<size_t>(i), value * read_scale(scale.data, static_cast<size_t>(s)),
            false);
    });
    return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(const ReadReal read, RealReader(x.dtype));
  layout.ForEach([&](int64_t i, int64_t s) {
    const float shift = zero != nullptr ? read(zero->data, static_cast<size_t>(s)) : 0;
    const float value = read(x.data, static_cast<size_t>(i)) - shift;
    write(y.data, static_cast<size_t>(i), value * read_scale(scale.data, static_cast<size_t>(s)),
          false);
  });
  return Status::Ok();
}

constexpr KernelImpl kDequantize[] = {
    FunctionImpl<DequantizeParams, ParseDequantize, RunDequantize>("dequantize_linear.reference")};

constexpr OpKernels kTable[] = {{.op_type = "DequantizeLinear", .impls = kDequantize}};

}  // namespace

KernelTable DequantizeKernels() { return kTable; }

}  // namespace waybill::kernel::reference
