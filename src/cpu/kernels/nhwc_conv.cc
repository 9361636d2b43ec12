// The internal Conv with channels last, f32 with one or two spatial axes.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/conv/nhwc/dense.h"
#include "cpu/conv/nhwc/depthwise.h"
#include "cpu/kernels/block_epilogue.h"
#include "cpu/kernels/conv_params.h"
#include "cpu/kernels/lists.h"

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

struct NhwcConvPlan final : PlanState {
  DenseConv dense;
  DepthwiseConv depthwise;
  bool is_depthwise = false;
  FilterSizes sizes;
  BlockOperands operands;
  size_t width = 1;  // slices of scratch
  size_t scratch = 0, weights = 0;
};

class NhwcConvKernel final : public Kernel {
 public:
  NhwcConvKernel(ConvParams params, ConvEpilogue epilogue)
      : params_(params), epilogue_(std::move(epilogue)) {}

  Status Prepare(PrepareContext& ctx) override;
  Status Plan(PlanContext& ctx) const override;
  Status Run(RunContext& ctx) const override;

 private:
  ConvParams params_;
  ConvEpilogue epilogue_;
  bool packed_weights_ = false;
  SharedView packed_;
};

// Rows that the depthwise kernel holds and columns that a filter spans, at most.
constexpr size_t kMaxReachH = 64, kMaxReachW = 1024;

bool UseDepthwise(const ConvParams& params, const FilterSizes& sizes, const Shape& w) {
  const auto reach = [&](size_t axis) {
    if (axis < 2 - params.spatial) return size_t{1};
    return static_cast<size_t>((w[w.rank() - 2 + axis] - 1) * params.dilations[axis] + 1);
  };
  return IsDepthwise(sizes) && reach(0) <= kMaxReachH && reach(1) <= kMaxReachW;
}

size_t PackedFloats(const FilterSizes& sizes, bool depthwise) {
  return depthwise ? DepthwiseWeightFloats(sizes)
                   : FilterLayout(RunTiles(BestTarget()), sizes).floats();
}

void Pack(const FilterSizes& sizes, bool depthwise, const void* w, bool splat, float* out) {
  if (depthwise) {
    PackDepthwise(sizes, w, splat, out);
  } else {
    PackConvFilters(FilterLayout(RunTiles(BestTarget()), sizes), w, splat, out);
  }
}

// Constant input 1. Depthwise weights are small.
Status PackConstant(PrepareContext& ctx, const FilterSizes& sizes, bool depthwise, float* out) {
  const graph::Constant& w = *ctx.constant(1);
  if (w.rows() == nullptr) {
    Pack(sizes, depthwise, w.tensor().view().data, w.is_splat(), out);
    return Status::Ok();
  }
  if (depthwise) {
    WB_ASSIGN_OR_RETURN(const Tensor whole, ctx.Materialize(1));
    Pack(sizes, depthwise, whole.view().data, false, out);
    return Status::Ok();
  }
  const FilterLayout layout(RunTiles(BestTarget()), sizes);
  return ctx.ForEachBlock(1, 1, [&](int64_t first, const TensorView& part) {
    PackConvFilterPart(layout, part.data, static_cast<size_t>(first),
                       static_cast<size_t>(part.shape[0]), out);
  });
}

// [N, spatial..., C] to [N, C, spatial...] and back.
Shape ToFirst(const Shape& shape) {
  Shape out = shape;
  for (size_t i = 2; i < shape.rank(); ++i) out[i] = shape[i - 1];
  out[1] = shape[shape.rank() - 1];
  return out;
}

FilterSizes SizesOf(const ConvParams& params, const Shape& w) {
  const auto groups = static_cast<size_t>(params.groups);
  return {groups, static_cast<size_t>(w[1]), static_cast<size_t>(w[0]) / groups,
          static_cast<size_t>(w.ElemsBetween(2, w.rank()))};
}

Status NhwcConvKernel::Prepare(PrepareContext& ctx) {
  const graph::Constant* w = ctx.constant(1);
  if (w == nullptr || w->shape().rank() != params_.spatial + 2) return Status::Ok();
  if (w->shape()[0] % params_.groups != 0 || w->shape().elems() == 0) return Status::Ok();
  const FilterSizes sizes = SizesOf(params_, w->shape());
  const bool depthwise = UseDepthwise(params_, sizes, w->shape());
  // Padding to whole vectors multiplies by at most the lanes of one.
  const auto bytes = CheckedMul(static_cast<size_t>(w->shape().elems()),
                                sizeof(float) * RunTiles(BestTarget()).lanes);
  if (!bytes) return Error(Code::kOutOfMemory, "packed weights {} are too large", w->shape());
  const std::string maker =
      Format("conv.nhwc/1 {} vectors {} groups {} channels {} to {} taps {} depthwise {}",
             SimdTargetName(BestTarget()), RunTiles(BestTarget()).max_vectors, sizes.groups,
             sizes.in_channels, sizes.out_channels, sizes.taps, depthwise);
  const size_t packed_bytes = PackedFloats(sizes, depthwise) * sizeof(float);
  WB_ASSIGN_OR_RETURN(packed_, ctx.Pack(maker, {1}, packed_bytes, [&](std::byte* out) {
    return PackConstant(ctx, sizes, depthwise, reinterpret_cast<float*>(out));
  }));
  packed_weights_ = true;
  ctx.ReplaceInput(1);
  return Status::Ok();
}

Status NhwcConvKernel::Plan(PlanContext& ctx) const {
  const Shape &x = ctx.input_shape(0), &w = ctx.input_shape(1);
  if (x.rank() != params_.spatial + 2) {
    return Error(Code::kInvalidArgument, "input {} is not of rank {}", x, params_.spatial + 2);
  }
  WB_ASSIGN_OR_RETURN(const Conv2d conv, MakeConv2d(params_, ToFirst(x), w));
  if (ctx.has_input(2) && ctx.input_shape(2) != Shape({w[0]})) {
    return Error(Code::kInvalidArgument, "bias {} is not one number for each of {} channels",
                 ctx.input_shape(2), w[0]);
  }
  Shape out{x[0]};
  if (params_.spatial == 2) out.PushBack(static_cast<int64_t>(conv.out_h));
  out.PushBack(static_cast<int64_t>(conv.out_w));
  out.PushBack(w[0]);
  WB_RETURN_IF_ERROR(Tensor::BytesFor(DType::kF32, out).status());
  auto plan = std::make_shared<NhwcConvPlan>();
  plan->sizes = SizesOf(params_, w);
  plan->is_depthwise = UseDepthwise(params_, plan->sizes, w);
  if (plan->is_depthwise) {
    plan->depthwise = MakeDepthwiseConv(conv);
  } else {
    plan->dense = MakeDenseConv(RunTiles(BestTarget()), conv);
  }
  plan->width = std::max<size_t>(ctx.width(), 1);
  const size_t floats =
      plan->is_depthwise ? plan->depthwise.scratch_floats : plan->dense.scratch_floats;
  plan->scratch = ctx.BookScratch(floats * sizeof(float) * plan->width);
  if (!packed_weights_) {
    const size_t packed = PackedFloats(plan->sizes, plan->is_depthwise);
    plan->weights = ctx.BookScratch(packed * sizeof(float));
  }
  WB_ASSIGN_OR_RETURN(plan->operands, epilogue_.Plan(ctx, out, true));
  const bool one_part = !plan->is_depthwise && plan->dense.parts == 1;
  if (one_part && epilogue_.IsResidual(plan->operands)) {
    ctx.AllowInPlace(0, plan->operands.list[0].input);
  }
  ctx.AllowPitch(plan->sizes.groups * plan->sizes.out_channels * sizeof(float));
  ctx.SetOutput(0, DType::kF32, std::move(out));
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

Status NhwcConvKernel::Run(RunContext& ctx) const {
  const NhwcConvPlan& plan = *ctx.state<NhwcConvPlan>();
  if (ctx.output(0).elems() == 0) return Status::Ok();
  NhwcConvArgs args;
  args.x = ctx.input(0).as<const float>();
  args.bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
  args.y = ctx.output(0).as<float>();
  args.y_pitch = ctx.pitch_bytes() / sizeof(float);
  args.scratch = ctx.scratch<float>(plan.scratch);
  if (packed_weights_) {
    args.weights = reinterpret_cast<const float*>(packed_.data());
  } else {
    auto* weights = ctx.scratch<float>(plan.weights);
    Pack(plan.sizes, plan.is_depthwise, ctx.input(1).data, false, weights);
    args.weights = weights;
  }
  const EpilogueRun epilogue(epilogue_, plan.operands, ctx);
  const size_t width = std::min(plan.width, ctx.width());
  if (plan.is_depthwise) {
    epilogue.Configure(args, false);
    RunDepthwiseConv(DepthwiseTiles(BestTarget()), plan.depthwise, args, ctx.pool(), width);
  } else {
    epilogue.Configure(args, true);
    RunDenseConv(RunTiles(BestTarget()), plan.dense, args, ctx.pool(), width);
  }
  return Status::Ok();
}

Acceptance AcceptsNhwcConv(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.attrs().Int("channels_last") == 0, "channels are not last");
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  const size_t spatial = SpatialAxes(node);
  WB_REFUSE_IF(spatial == 0, "the rank is not known");
  WB_REFUSE_IF(spatial > 2, "{} spatial axes are more than 2", spatial);
  const auto params = ReadConvParams(node.attrs(), spatial);
  WB_REFUSE_IF(!params.ok(), "{}", params.status().message());
  const auto epilogue = ConvEpilogue::Make(node, 3);
  WB_REFUSE_IF(!epilogue.ok(), "{}", epilogue.status().message());
  return Acceptance::Yes();
}

constexpr KernelImpl kNhwcConv[] = {
    {"conv.nhwc", AcceptsNhwcConv,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       WB_ASSIGN_OR_RETURN(const ConvParams params,
                           ReadConvParams(node.attrs(), SpatialAxes(node)));
       WB_ASSIGN_OR_RETURN(ConvEpilogue epilogue, ConvEpilogue::Make(node, 3));
       return std::unique_ptr<Kernel>(
           std::make_unique<NhwcConvKernel>(params, std::move(epilogue)));
     }}};
constexpr OpKernels kNhwcConvOps[] = {{graph::kInternalDomain, "Conv", 1, 1, kNhwcConv}};

}  // namespace

std::span<const OpKernels> NhwcConvKernels() { return kNhwcConvOps; }

}  // namespace waybill::cpu
