// QLinearConv, its internal channels-last form, and ConvInteger.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/kernels/quant/byte_conv_params.h"
#include "cpu/kernels/quant/byte_weights.h"
#include "cpu/kernels/quant/constants.h"
#include "cpu/kernels/quant/lists.h"
#include "cpu/kernels/quant/swap_layout.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;

// Where the two operators have what.
struct Inputs {
  size_t x_zero, w, w_zero;
};
constexpr Inputs kQLinear = {2, 3, 5};
constexpr Inputs kInteger = {2, 1, 3};
constexpr size_t kXScale = 1, kWScale = 4, kYScale = 6, kYZero = 7, kBias = 8;

struct ConvPlan final : PlanState {
  ByteConv conv;
  size_t width = 1;                              // slices of scratch
  size_t images = 0, in_size = 0, out_size = 0;  // for the change of layout
  bool swap_x = false, swap_y = false;
  size_t x_scratch = 0, y_scratch = 0, work_scratch = 0;
};

class ByteConvKernel final : public Kernel {
 public:
  ByteConvKernel(ByteConvParams params, bool integer)
      : params_(std::move(params)), inputs_(integer ? kInteger : kQLinear), integer_(integer) {}

  Status Prepare(PrepareContext& ctx) override {
    w_shape_ = ctx.constant(inputs_.w)->shape();
    WB_ASSIGN_OR_RETURN(const ByteConv filters, FiltersOf(params_, w_shape_));
    WB_RETURN_IF_ERROR(weights_.PackFilters(ctx, filters, MayPad(), {inputs_.w, inputs_.w_zero}));
    if (integer_) return weights_.SetRequantize(ctx, std::nullopt, nullptr);
    const double x_scale = ConstantAt<float>(*ctx.constant(kXScale), 0);
    const double to_y = x_scale / ConstantAt<float>(*ctx.constant(kYScale), 0);
    const graph::Constant& w_scale = *ctx.constant(kWScale);
    const graph::Constant& y_zero = *ctx.constant(kYZero);
    to_ = y_zero.dtype() == DType::kU8 ? SumTo::kU8 : SumTo::kI8;
    zero_ = IntegerAt(y_zero, 0);
    const bool biased = ctx.constant(kBias) != nullptr;
    return weights_.SetRequantize(ctx, biased ? std::optional(kBias) : std::nullopt,
                                  [&](size_t m) { return to_y * SpreadAt<float>(w_scale, m); });
  }

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    auto plan = std::make_shared<ConvPlan>();
    WB_ASSIGN_OR_RETURN(plan->conv, MakeByteConv(params_, ctx.input_shape(0), w_shape_));
    ByteConv& conv = plan->conv;
    plan->images = conv.batch;
    plan->in_size = conv.in_h * conv.in_w;
    plan->out_size = conv.out_h * conv.out_w;
    plan->width = std::max<size_t>(ctx.width(), 1);
    plan->swap_x = !params_.channels_last && plan->in_size > 1 && conv.in_channels > 1;
    plan->swap_y = !params_.channels_last && plan->out_size > 1 && conv.out_channels > 1;
    const size_t y_bytes = SumToBytes(to_);
    if (plan->swap_x) plan->x_scratch = ctx.BookScratch(SizeOf(ctx.input_shape(0)));
    if (plan->swap_y) plan->y_scratch = ctx.BookScratch(SizeOf(*ctx.output_shape(0)) * y_bytes);
    conv.JoinPixels();
    const auto all = weights_.Scratch(conv, plan->width);
    if (!all) return Error(Code::kInvalidArgument, "input {} is too large", ctx.input_shape(0));
    plan->work_scratch = ctx.BookScratch(*all);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const ConvPlan& plan = *ctx.state<ConvPlan>();
    ByteConvArgs args;
    WB_RETURN_IF_ERROR(ReadZero(ctx, args));
    args.x = ctx.input(0).data;
    args.y = ctx.output(0).data;
    if (plan.swap_x) {
      void* swapped = ctx.scratch(plan.x_scratch);
      TransposeMatrices(args.x, plan.images, plan.conv.in_channels, plan.in_size, 1, swapped);
      args.x = swapped;
    }
    if (plan.swap_y) args.y = ctx.scratch(plan.y_scratch);
    args.out.to = to_;
    args.out.zero = zero_;
    args.scratch = ctx.scratch(plan.work_scratch);
    weights_.RunConvolution(plan.conv, args, ctx.pool(), std::min(plan.width, ctx.width()));
    if (plan.swap_y) {
      TransposeMatrices(args.y, plan.images, plan.out_size, plan.conv.out_channels, SumToBytes(to_),
                        ctx.output(0).data);
    }
    return Status::Ok();
  }

 private:
  // SAME pads nothing where the kernel is one pixel, and only that matters.
  bool MayPad() const {
    if (params_.window.auto_pad != graph::infer::AutoPad::kNotSet) return false;
    return std::any_of(params_.window.pads.begin(), params_.window.pads.end(),
                       [](int64_t pad) { return pad != 0; });
  }
  static size_t SizeOf(const Shape& shape) { return static_cast<size_t>(shape.elems()); }

  Status ReadZero(const RunContext& ctx, ByteConvArgs& args) const {
    args.x_signed = ctx.input(0).dtype == DType::kI8;
    if (!ctx.has_input(inputs_.x_zero)) return Status::Ok();
    const TensorView& zero = ctx.input(inputs_.x_zero);
    if (zero.elems() != 1) {
      return Error(Code::kInvalidArgument, "x_zero_point must be one number, its shape is {}",
                   zero.shape);
    }
    args.x_zero = args.x_signed ? int32_t{*zero.as<int8_t>()} : int32_t{*zero.as<uint8_t>()};
    return Status::Ok();
  }

  ByteConvParams params_;
  Inputs inputs_;
  bool integer_;
  Shape w_shape_;
  ByteWeights weights_;
  SumTo to_ = SumTo::kI32;
  int32_t zero_ = 0;
};

Acceptance AcceptsFilters(const graph::NodeRef& node, Inputs inputs) {
  WB_REFUSE_IF(!IsByte(node.input_dtype(0)), "x is {}", DTypeName(node.input_dtype(0)));
  const graph::Constant* w = node.constant(inputs.w);
  WB_REFUSE_IF(w == nullptr, "the weights are not constant");
  WB_REFUSE_IF(!IsByte(w->dtype()), "the weights are {}", DTypeName(w->dtype()));
  const auto params = ReadByteConv(node.attrs());
  WB_REFUSE_IF(!params.ok(), "{}", params.status().message());
  const auto filters = FiltersOf(*params, w->shape());
  WB_REFUSE_IF(!filters.ok(), "{}", filters.status().message());
  if (!node.has_input(inputs.w_zero)) return Acceptance::Yes();
  return AcceptsSpread(node, inputs.w_zero, w->dtype(), w->shape()[0], "w_zero_point");
}

Acceptance AcceptsInteger(const graph::NodeRef& node) { return AcceptsFilters(node, kInteger); }

Acceptance AcceptsQLinear(const graph::NodeRef& node) {
  if (Acceptance a = AcceptsFilters(node, kQLinear); !a.ok()) return a;
  const int64_t filters = node.constant(kQLinear.w)->shape()[0];
  for (const auto& [input, lines, name] : {std::tuple{kXScale, int64_t{1}, "x_scale"},
                                           {kWScale, filters, "w_scale"},
                                           {kYScale, int64_t{1}, "y_scale"}}) {
    if (Acceptance a = AcceptsSpread(node, input, DType::kF32, lines, name); !a.ok()) return a;
  }
  WB_REFUSE_IF(!IsByte(node.input_dtype(kYZero)), "y_zero_point is no 8-bit integer");
  const DType y = node.input_dtype(kYZero);
  if (Acceptance a = AcceptsSpread(node, kYZero, y, 1, "y_zero_point"); !a.ok()) return a;
  if (!node.has_input(kBias)) return Acceptance::Yes();
  const graph::Constant* bias = node.constant(kBias);
  WB_REFUSE_IF(bias == nullptr || bias->dtype() != DType::kI32, "B is no int32 constant");
  WB_REFUSE_IF(bias->shape().rank() != 1 || bias->shape()[0] != filters, "B has shape {}",
               bias->shape());
  return Acceptance::Yes();
}

template <bool kIsInteger>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(ByteConvParams params, ReadByteConv(node.attrs()));
  return std::unique_ptr<Kernel>(std::make_unique<ByteConvKernel>(std::move(params), kIsInteger));
}

constexpr KernelImpl kQLinearConv[] = {{"qlinear_conv.packed", AcceptsQLinear, Create<false>}};
constexpr KernelImpl kConvInteger[] = {{"conv_integer.packed", AcceptsInteger, Create<true>}};
constexpr OpKernels kOps[] = {
    {"", "QLinearConv", 1, 1 << 30, kQLinearConv},
    {"", "ConvInteger", 1, 1 << 30, kConvInteger},
    {graph::kInternalDomain, "QLinearConv", 1, 1, kQLinearConv},
};

}  // namespace

std::span<const OpKernels> ByteConvKernels() { return kOps; }

}  // namespace waybill::cpu
