// Conv of f32 with one or two spatial axes, channels first.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/conv/conv_f32.h"
#include "cpu/kernels/block_epilogue.h"
#include "cpu/kernels/conv_params.h"
#include "cpu/kernels/lists.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;

constexpr double kNsPerElem = 0.5;  // of an epilogue

struct ConvPlan final : PlanState {
  Conv2d conv;
  BlockOperands operands;
  size_t width = 1;  // slices of scratch
};

class ConvKernel final : public Kernel {
 public:
  ConvKernel(ConvParams params, ConvEpilogue epilogue)
      : params_(params), epilogue_(std::move(epilogue)) {}

  Status Plan(PlanContext& ctx) const override {
    auto plan = std::make_shared<ConvPlan>();
    WB_ASSIGN_OR_RETURN(plan->conv, MakeConv2d(params_, ctx.input_shape(0), ctx.input_shape(1)));
    const Conv2d& conv = plan->conv;
    if (ctx.has_input(2) && ctx.input_shape(2) != Shape({ctx.input_shape(1)[0]})) {
      return Error(Code::kInvalidArgument, "bias {} is not one number for each of {} channels",
                   ctx.input_shape(2), conv.out_channels);
    }
    Shape out{ctx.input_shape(0)[0], ctx.input_shape(1)[0]};
    if (params_.spatial == 2) out.PushBack(static_cast<int64_t>(conv.out_h));
    out.PushBack(static_cast<int64_t>(conv.out_w));
    WB_RETURN_IF_ERROR(Tensor::BytesFor(DType::kF32, out).status());
    plan->width = std::max<size_t>(ctx.width(), 1);
    const size_t scratch = Conv2dScratchFloats(GemmF32(BestTarget()), conv) * sizeof(float);
    ctx.BookScratch(scratch * plan->width);
    WB_ASSIGN_OR_RETURN(plan->operands, epilogue_.Plan(ctx, out, false));
    ctx.SetOutput(0, DType::kF32, std::move(out));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const ConvPlan& plan = *ctx.state<ConvPlan>();
    Conv2dArgs args;
    args.x = ctx.input(0).as<const float>();
    args.w = ctx.input(1).as<const float>();
    args.bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
    args.y = ctx.output(0).as<float>();
    args.scratch = ctx.scratch<float>(0);
    const size_t width = std::min(plan.width, ctx.width());
    args.relu = epilogue_.IsRelu();
    RunConv2d(GemmF32(BestTarget()), plan.conv, args, ctx.pool(), width);
    if (args.relu || epilogue_.empty() || ctx.output(0).elems() == 0) return Status::Ok();
    const EpilogueRun epilogue(epilogue_, plan.operands, ctx);
    const size_t rows = plan.operands.images * plan.operands.channels;
    const size_t threads = ThreadsFor(rows * plan.operands.pixels, kNsPerElem, width);
    ParallelFor(ctx.pool(), rows, threads,
                [&](size_t begin, size_t end) { epilogue.RunChannelsFirst(begin, end); });
    return Status::Ok();
  }

 private:
  ConvParams params_;
  ConvEpilogue epilogue_;
};

Acceptance AcceptsConv(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.attrs().Int("channels_last") != 0, "channels are last");
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

constexpr KernelImpl kConv[] = {
    {"conv.panel", AcceptsConv, [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       WB_ASSIGN_OR_RETURN(const ConvParams params,
                           ReadConvParams(node.attrs(), SpatialAxes(node)));
       WB_ASSIGN_OR_RETURN(ConvEpilogue epilogue, ConvEpilogue::Make(node, 3));
       return std::unique_ptr<Kernel>(std::make_unique<ConvKernel>(params, std::move(epilogue)));
     }}};
constexpr OpKernels kConvOps[] = {{"", "Conv", 1, 1 << 30, kConv},
                                  {graph::kInternalDomain, "Conv", 1, 1, kConv}};

}  // namespace

std::span<const OpKernels> ConvKernels() { return kConvOps; }

}  // namespace waybill::cpu
