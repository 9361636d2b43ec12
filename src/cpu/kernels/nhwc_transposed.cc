// The internal ConvTranspose with channels last, f32 with one or two spatial axes.
#include <algorithm>
#include <optional>

#include "base/math/checked.h"
#include "cpu/conv/nhwc/transposed.h"
#include "cpu/kernels/block_epilogue.h"
#include "cpu/kernels/conv_params.h"
#include "cpu/kernels/lists.h"
#include "graph/infer/rules/nn/window.h"

namespace waybill::cpu {
namespace {

using graph::infer::AxisFit;
using graph::infer::WindowAttrs;
using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;

struct TransposedParams {
  WindowAttrs window;
  std::vector<int64_t> output_padding, output_shape;
  int64_t group = 1;
  size_t spatial = 2;

  // The row of taps may be merged, as far as attributes tell: nothing is cut off or added.
  bool rows_whole() const {
    const size_t last = spatial - 1;
    const bool padded = !window.pads.empty() && (window.pads[last] | window.pads[last + spatial]);
    return window.auto_pad == graph::infer::AutoPad::kNotSet && !padded && output_shape.empty() &&
           (output_padding.empty() || output_padding[last] == 0);
  }
};

Result<TransposedParams> ReadParams(const graph::NodeRef& node) {
  TransposedParams p;
  p.spatial = SpatialAxes(node);
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  p.output_padding = node.attrs().Ints("output_padding");
  p.output_shape = node.attrs().Ints("output_shape");
  p.group = node.attrs().Int("group", 1);
  if (p.group < 1) return Error(Code::kInvalidArgument, "group is {}", p.group);
  if (!p.window.pads.empty() && p.window.pads.size() != 2 * p.spatial) {
    return Error(Code::kInvalidArgument, "pads are {}", p.window.pads);
  }
  if (!p.output_padding.empty() && p.output_padding.size() != p.spatial) {
    return Error(Code::kInvalidArgument, "output_padding is {}", p.output_padding);
  }
  return p;
}

// Kernel, stride and dilation of both axes; height first.
struct Axes {
  TransposedAxis h, w;
};

struct TransposedPlan final : PlanState {
  TransposedFilters filters;  // when the weights are packed at run
  TransposedConv conv;
  BlockOperands operands;
  size_t width = 1;  // slices of scratch
  size_t scratch = 0, weights = 0;
};

class NhwcTransposedKernel final : public Kernel {
 public:
  NhwcTransposedKernel(TransposedParams params, ConvEpilogue epilogue)
      : p_(std::move(params)), epilogue_(std::move(epilogue)) {}

  Status Prepare(PrepareContext& ctx) override;
  Status Plan(PlanContext& ctx) const override;
  Status Run(RunContext& ctx) const override;

 private:
  Result<TransposedFilters> Filters(const Shape& w) const;

  TransposedParams p_;
  ConvEpilogue epilogue_;
  std::optional<TransposedFilters> filters_;
  SharedView packed_;
};

Result<TransposedFilters> NhwcTransposedKernel::Filters(const Shape& w) const {
  WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(p_.window, w.dims().subspan(2)));
  Axes a;
  for (size_t i = 0; i < axes.size(); ++i) {
    TransposedAxis& axis = i + 1 == axes.size() ? a.w : a.h;
    axis.kernel = axes[i].kernel;
    axis.stride = axes[i].stride;
    axis.dilation = axes[i].dilation;
  }
  const auto groups = static_cast<size_t>(p_.group);
  return MakeTransposedFilters(RunTiles(BestTarget()), groups, static_cast<size_t>(w[0]) / groups,
                               static_cast<size_t>(w[1]), a.h, a.w,
                               p_.rows_whole() && CanMerge(groups, a.w));
}

Status NhwcTransposedKernel::Prepare(PrepareContext& ctx) {
  const graph::Constant* w = ctx.constant(1);
  if (w == nullptr || w->shape().rank() != p_.spatial + 2 || w->shape().elems() == 0 ||
      w->shape()[0] % p_.group != 0) {
    return Status::Ok();
  }
  // Padding to whole vectors multiplies by at most the lanes of one.
  if (!CheckedMul(static_cast<size_t>(w->shape().elems()),
                  sizeof(float) * RunTiles(BestTarget()).lanes)) {
    return Error(Code::kOutOfMemory, "packed weights {} are too large", w->shape());
  }
  WB_ASSIGN_OR_RETURN(filters_, Filters(w->shape()));
  const TransposedFilters& f = *filters_;
  const std::string maker = Format(
      "conv_transpose.nhwc/1 {} vectors {} groups {} channels {} to {} kernel {} {} stride {} {} "
      "dilation {} {} merged {}",
      SimdTargetName(BestTarget()), RunTiles(BestTarget()).max_vectors, f.groups, f.in_channels,
      f.out_channels, f.h.kernel, f.w.kernel, f.h.stride, f.w.stride, f.h.dilation, f.w.dilation,
      f.merged);
  WB_ASSIGN_OR_RETURN(packed_, ctx.Pack(maker, {1}, f.floats * sizeof(float), [&](std::byte* out) {
    PackTransposed(f, w->tensor().view().data, w->is_splat(), reinterpret_cast<float*>(out));
    return Status::Ok();
  }));
  ctx.ReplaceInput(1);
  return Status::Ok();
}

Status NhwcTransposedKernel::Plan(PlanContext& ctx) const {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape &x = ctx.input_shape(0), &w = ctx.input_shape(1);
  const Shape out = *ctx.output_shape(0);
  WB_RETURN_IF_ERROR(Tensor::BytesFor(DType::kF32, out).status());
  if (ctx.has_input(2) && ctx.input_shape(2) != Shape({out[out.rank() - 1]})) {
    return Error(Code::kInvalidArgument, "bias has shape {}, the output has {} channels",
                 ctx.input_shape(2), out[out.rank() - 1]);
  }
  WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(p_.window, w.dims().subspan(2)));
  Axes a;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size =
        p_.output_shape.empty() ? -1 : p_.output_shape[p_.output_shape.size() - axes.size() + i];
    WB_ASSIGN_OR_RETURN(const AxisFit fit,
                        graph::infer::FitTransposed(
                            axes[i], p_.window.auto_pad,
                            p_.output_padding.empty() ? 0 : p_.output_padding[i], size, x[1 + i]));
    (i + 1 == axes.size() ? a.w : a.h) = {fit.in,     fit.out,      fit.kernel,
                                          fit.stride, fit.dilation, fit.pad_begin};
  }
  auto plan = std::make_shared<TransposedPlan>();
  plan->width = std::max<size_t>(ctx.width(), 1);
  if (!filters_) {
    WB_ASSIGN_OR_RETURN(plan->filters, Filters(w));
    plan->weights = ctx.BookScratch(plan->filters.floats * sizeof(float));
  }
  plan->conv =
      MakeTransposedConv(filters_ ? *filters_ : plan->filters, static_cast<size_t>(x[0]), a.h, a.w);
  plan->scratch = ctx.BookScratch(plan->conv.scratch_floats * sizeof(float) * plan->width);
  WB_ASSIGN_OR_RETURN(plan->operands, epilogue_.Plan(ctx, out, true));
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

Status NhwcTransposedKernel::Run(RunContext& ctx) const {
  const TransposedPlan& plan = *ctx.state<TransposedPlan>();
  if (ctx.output(0).elems() == 0) return Status::Ok();
  NhwcConvArgs args;
  args.x = ctx.input(0).as<const float>();
  args.bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
  args.y = ctx.output(0).as<float>();
  args.scratch = ctx.scratch<float>(plan.scratch);
  if (filters_) {
    args.weights = reinterpret_cast<const float*>(packed_.data());
  } else {
    auto* weights = ctx.scratch<float>(plan.weights);
    PackTransposed(plan.filters, ctx.input(1).data, false, weights);
    args.weights = weights;
  }
  const EpilogueRun epilogue(epilogue_, plan.operands, ctx);
  epilogue.Configure(args, false);
  RunTransposedConv(RunTiles(BestTarget()), plan.conv, args, ctx.pool(),
                    std::min(plan.width, ctx.width()));
  return Status::Ok();
}

Acceptance AcceptsNhwcTransposed(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.attrs().Int("channels_last") == 0, "channels are not last");
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  const size_t spatial = SpatialAxes(node);
  WB_REFUSE_IF(spatial == 0, "the rank is not known");
  WB_REFUSE_IF(spatial > 2, "{} spatial axes are more than 2", spatial);
  const auto params = ReadParams(node);
  WB_REFUSE_IF(!params.ok(), "{}", params.status().message());
  // Each residue has its own filters.
  int64_t phases = 1;
  for (const int64_t stride : params->window.strides) {
    WB_REFUSE_IF(stride < 1 || stride > 64, "stride {} is too large", stride);
    phases *= stride;
  }
  WB_REFUSE_IF(phases > 1024, "strides {} are too large", params->window.strides);
  const auto epilogue = ConvEpilogue::Make(node, 3);
  WB_REFUSE_IF(!epilogue.ok(), "{}", epilogue.status().message());
  return Acceptance::Yes();
}

constexpr KernelImpl kNhwcTransposed[] = {
    {"conv_transpose.nhwc", AcceptsNhwcTransposed,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       WB_ASSIGN_OR_RETURN(TransposedParams params, ReadParams(node));
       WB_ASSIGN_OR_RETURN(ConvEpilogue epilogue, ConvEpilogue::Make(node, 3));
       return std::unique_ptr<Kernel>(
           std::make_unique<NhwcTransposedKernel>(std::move(params), std::move(epilogue)));
     }}};
constexpr OpKernels kOps[] = {{graph::kInternalDomain, "ConvTranspose", 1, 1, kNhwcTransposed}};

}  // namespace

std::span<const OpKernels> NhwcTransposedKernels() { return kOps; }

}  // namespace waybill::cpu
