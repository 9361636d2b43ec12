// ConvInteger and QLinearConv: convolutions of shifted 8-bit tensors, exact in 32 bits. Padding is
// the zero point, so it adds nothing. The internal QLinearConv takes channels last, too.
#include <cmath>
#include <cstdint>
#include <memory>

#include "kernel/reference/nn/conv_core.h"
#include "kernel/reference/quant/number.h"
#include "kernel/reference/quant/tables.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using Bytes = TypeList<int8_t, uint8_t>;

struct IntegerConvParams {
  graph::infer::WindowAttrs window;
  int64_t group = 1;
  bool channels_last = false;
};
Result<IntegerConvParams> ParseIntegerConv(const graph::NodeRef& node) {
  IntegerConvParams params;
  WB_ASSIGN_OR_RETURN(params.window, graph::infer::ParseWindow(node.attrs()));
  params.group = node.attrs().Int("group", 1);
  params.channels_last = node.attrs().Int("channels_last") != 0;
  return params;
}

// Offset within a channel of the input that tap `tap` reads for output position `position`;
// negative in the padding.
int64_t TapOffset(const ConvGeometry& g, int64_t position, int64_t tap) {
  int64_t offset = 0, stride = 1;
  for (size_t i = g.axes.size(); i-- > 0;) {
    const graph::infer::AxisFit& axis = g.axes[i];
    const int64_t at =
        position % axis.out * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
    if (at < 0 || at >= axis.in) return -1;
    offset += at * stride;
    stride *= axis.in;
    position /= axis.out;
    tap /= axis.kernel;
  }
  return offset;
}

template <typename X, typename W>
struct Operands {
  const X* x;
  const W* w;
  int32_t x_zero;
  const W* w_zero;  // null: 0
  bool w_zero_per_channel;
};

// Calls store(i, m, sum) for every output i of output channel m.
template <typename X, typename W, typename Store>
void Convolve(const ConvGeometry& g, bool channels_last, const Operands<X, W>& in, Store&& store) {
  const int64_t group_in = g.in_channels / g.group, group_out = g.out_channels / g.group;
  // Steps of the input from channel to channel and from position to position.
  const int64_t channel_step = channels_last ? 1 : g.in_size;
  const int64_t step = channels_last ? g.in_channels : 1;
  for (int64_t i = 0; i < g.batch * g.out_channels * g.out_size; ++i) {
    const int64_t batch = i / g.out_size / g.out_channels;
    const int64_t position = channels_last ? i / g.out_channels % g.out_size : i % g.out_size;
    const int64_t m = channels_last ? i % g.out_channels : i / g.out_size % g.out_channels;
    const X* const x =
        in.x + batch * g.in_channels * g.in_size + m / group_out * group_in * channel_step;
    const W* const w = in.w + m * group_in * g.taps;
    const int32_t w_zero =
        in.w_zero == nullptr ? 0 : int32_t{in.w_zero[in.w_zero_per_channel ? m : 0]};
    uint32_t sum = 0;
    for (int64_t tap = 0; tap < g.taps; ++tap) {
      const int64_t offset = TapOffset(g, position, tap);
      if (offset < 0) continue;
      for (int64_t c = 0; c < group_in; ++c) {
        sum += static_cast<uint32_t>((x[c * channel_step + offset * step] - in.x_zero) *
                                     (w[c * g.taps + tap] - w_zero));
      }
    }
    store(i, m, static_cast<int32_t>(sum));
  }
}

Status CheckPerTensor(const TensorView& view, const char* name) {
  if (view.elems() == 1) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} must be one number, its shape is {}", name, view.shape);
}
Status CheckPerChannel(const TensorView& view, int64_t channels, const char* name) {
  if (view.elems() == 1 || (view.shape.rank() == 1 && view.elems() == channels)) {
    return Status::Ok();
  }
  return Error(Code::kInvalidArgument, "{} has shape {}, not one value or one for each of {}", name,
               view.shape, channels);
}

Status PlanConvOf(const IntegerConvParams& params, PlanContext& ctx, size_t w_input) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  Shape x = ctx.input_shape(0);
  if (params.channels_last) {
    for (size_t i = x.rank(); i-- > 2;) x[i] = ctx.input_shape(0)[i - 1];
    if (x.rank() > 1) x[1] = ctx.input_shape(0)[x.rank() - 1];
  }
  WB_ASSIGN_OR_RETURN(auto geometry,
                      MakeConvGeometry(x, ctx.input_shape(w_input), params.window, params.group));
  ctx.SetState(std::move(geometry));
  return Status::Ok();
}
Status PlanConvInteger(const IntegerConvParams& params, PlanContext& ctx) {
  return PlanConvOf(params, ctx, 1);
}
Status PlanQLinearConv(const IntegerConvParams& params, PlanContext& ctx) {
  return PlanConvOf(params, ctx, 3);
}

template <typename X, typename W>
Result<Operands<X, W>> MakeOperands(const ConvGeometry& g, const TensorView& x,
                                    const TensorView* x_zero, const TensorView& w,
                                    const TensorView* w_zero) {
  Operands<X, W> in{x.as<X>(), w.as<W>(), 0, nullptr, false};
  if (x_zero != nullptr) {
    WB_RETURN_IF_ERROR(CheckPerTensor(*x_zero, "x_zero_point"));
    in.x_zero = x_zero->as<X>()[0];
  }
  if (w_zero != nullptr) {
    WB_RETURN_IF_ERROR(CheckPerChannel(*w_zero, g.out_channels, "w_zero_point"));
    in.w_zero = w_zero->as<W>();
    in.w_zero_per_channel = w_zero->elems() != 1;
  }
  return in;
}

Status RunConvInteger(const IntegerConvParams&, RunContext& ctx) {
  const ConvGeometry& g = *ctx.state<ConvGeometry>();
  const TensorView &x = ctx.input(0), &w = ctx.input(1), &y = ctx.output(0);
  return DispatchDType(x.dtype, Bytes{}, [&]<typename X>() {
    return DispatchDType(w.dtype, Bytes{}, [&]<typename W>() -> Status {
      WB_ASSIGN_OR_RETURN(const auto in,
                          (MakeOperands<X, W>(g, x, ctx.has_input(2) ? &ctx.input(2) : nullptr, w,
                                              ctx.has_input(3) ? &ctx.input(3) : nullptr)));
      Convolve(g, false, in, [&](int64_t i, int64_t, int32_t sum) { y.as<int32_t>()[i] = sum; });
      return Status::Ok();
    });
  });
}

Status RunQLinearConv(const IntegerConvParams& params, RunContext& ctx) {
  const ConvGeometry& g = *ctx.state<ConvGeometry>();
  const TensorView &x = ctx.input(0), &w = ctx.input(3), &y = ctx.output(0);
  const TensorView &x_scale = ctx.input(1), &w_scale = ctx.input(4), &y_scale = ctx.input(6);
  const TensorView& y_zero = ctx.input(7);
  const TensorView* bias = ctx.has_input(8) ? &ctx.input(8) : nullptr;
  WB_RETURN_IF_ERROR(CheckPerTensor(x_scale, "x_scale"));
  WB_RETURN_IF_ERROR(CheckPerTensor(y_scale, "y_scale"));
  WB_RETURN_IF_ERROR(CheckPerTensor(y_zero, "y_zero_point"));
  WB_RETURN_IF_ERROR(CheckPerChannel(w_scale, g.out_channels, "w_scale"));
  if (bias != nullptr && (bias->shape.rank() != 1 || bias->elems() != g.out_channels)) {
    return Error(Code::kInvalidArgument, "B has shape {} for {} channels", bias->shape,
                 g.out_channels);
  }
  WB_ASSIGN_OR_RETURN(const WriteReal write, RealWriter(y.dtype));
  WB_ASSIGN_OR_RETURN(const ReadInt read_zero, IntReader(y_zero.dtype));
  const auto shift = static_cast<double>(read_zero(y_zero.data, 0));
  const double to_y = static_cast<double>(x_scale.as<float>()[0]) / y_scale.as<float>()[0];
  const int64_t scale_step = w_scale.elems() == 1 ? 0 : 1;
  return DispatchDType(x.dtype, Bytes{}, [&]<typename X>() {
    return DispatchDType(w.dtype, Bytes{}, [&]<typename W>() -> Status {
      WB_ASSIGN_OR_RETURN(const auto in,
                          (MakeOperands<X, W>(g, x, &ctx.input(2), w, &ctx.input(5))));
      Convolve(g, params.channels_last, in, [&](int64_t i, int64_t m, int32_t sum) {
        double total = sum;
        if (bias != nullptr) total += bias->as<int32_t>()[m];
        const double value = total * to_y * w_scale.as<float>()[m * scale_step];
        write(y.data, static_cast<size_t>(i), std::nearbyint(value) + shift, true);
      });
      return Status::Ok();
    });
  });
}

constexpr KernelImpl kConvInteger[] = {
    PlannedImpl<IntegerConvParams, ParseIntegerConv, PlanConvInteger, RunConvInteger>(
        "conv_integer.reference")};
constexpr KernelImpl kQLinearConv[] = {
    PlannedImpl<IntegerConvParams, ParseIntegerConv, PlanQLinearConv, RunQLinearConv>(
        "qlinear_conv.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "ConvInteger", .impls = kConvInteger},
    {.op_type = "QLinearConv", .impls = kQLinearConv},
    {.domain = graph::kInternalDomain, .op_type = "QLinearConv", .impls = kQLinearConv},
};

}  // namespace

KernelTable IntegerConvKernels() { return kTable; }

}  // namespace waybill::kernel::reference
