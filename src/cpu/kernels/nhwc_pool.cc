// The internal MaxPool and AveragePool, f32 with channels last and one or two spatial axes.
#include <algorithm>

#include "cpu/conv/nhwc/pool.h"
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
using kernel::RunContext;

struct NhwcPoolPlan final : PlanState {
  PoolPlan pool;
  size_t width = 1;  // slices of scratch
};

PoolAxis ToPoolAxis(const AxisFit& fit) {
  return {fit.in, fit.out, fit.kernel, fit.stride, fit.dilation, fit.pad_begin, fit.pad_end};
}

class NhwcPoolKernel final : public Kernel {
 public:
  NhwcPoolKernel(WindowAttrs window, bool average, bool count_include_pad)
      : window_(std::move(window)), average_(average), count_include_pad_(count_include_pad) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& x = ctx.input_shape(0);
    WB_RETURN_IF_ERROR(Tensor::BytesFor(DType::kF32, *ctx.output_shape(0)).status());
    WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(window_, window_.kernel));
    Pool2d pool;
    pool.batch = static_cast<size_t>(x[0]);
    pool.channels = static_cast<size_t>(x[x.rank() - 1]);
    pool.average = average_;
    pool.count_include_pad = count_include_pad_;
    for (size_t i = 0; i < axes.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const AxisFit fit, graph::infer::FitPool(axes[i], window_.auto_pad,
                                                                   window_.ceil_mode, x[1 + i]));
      (i + 1 == axes.size() ? pool.w : pool.h) = ToPoolAxis(fit);
    }
    auto plan = std::make_shared<NhwcPoolPlan>();
    plan->pool = MakePoolPlan(pool);
    plan->width = std::max<size_t>(ctx.width(), 1);
    if (PoolsInPlace(plan->pool, plan->width)) ctx.AllowInPlace(0, 0);
    ctx.AllowPitch(pool.channels * sizeof(float));
    ctx.BookScratch(plan->pool.scratch_floats * sizeof(float) * plan->width);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const NhwcPoolPlan& plan = *ctx.state<NhwcPoolPlan>();
    PoolArgs args;
    args.x = ctx.input(0).as<const float>();
    args.y = ctx.output(0).as<float>();
    args.y_pitch = ctx.pitch_bytes() / sizeof(float);
    args.scratch = ctx.scratch<float>(0);
    RunPool(PoolTiles(BestTarget()), plan.pool, args, ctx.pool(),
            std::min(plan.width, ctx.width()));
    return Status::Ok();
  }

 private:
  WindowAttrs window_;
  bool average_, count_include_pad_;
};

Acceptance AcceptsNhwcPool(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  const auto window = graph::infer::ParseWindow(node.attrs());
  WB_REFUSE_IF(!window.ok(), "{}", window.status().message());
  const std::vector<int64_t>& kernel = window->kernel;
  WB_REFUSE_IF(kernel.empty() || kernel.size() > 2, "the window has {} axes", kernel.size());
  const auto axes = graph::infer::WindowAxes(*window, kernel);
  WB_REFUSE_IF(!axes.ok(), "{}", axes.status().message());
  Pool2d pool;
  pool.w.kernel = kernel.back();
  if (kernel.size() == 2) pool.h.kernel = kernel[0];
  WB_REFUSE_IF(!PoolFits(pool), "a window of {} is too large", kernel);
  return Acceptance::Yes();
}

template <bool kAverage>
Result<std::unique_ptr<Kernel>> CreateNhwcPool(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(WindowAttrs window, graph::infer::ParseWindow(node.attrs()));
  return std::unique_ptr<Kernel>(std::make_unique<NhwcPoolKernel>(
      std::move(window), kAverage, node.attrs().Int("count_include_pad") != 0));
}

constexpr KernelImpl kMaxPool[] = {{"max_pool.nhwc", AcceptsNhwcPool, CreateNhwcPool<false>}};
constexpr KernelImpl kAveragePool[] = {
    {"average_pool.nhwc", AcceptsNhwcPool, CreateNhwcPool<true>}};
constexpr OpKernels kNhwcPoolOps[] = {
    {graph::kInternalDomain, "AveragePool", 1, 1, kAveragePool},
    {graph::kInternalDomain, "MaxPool", 1, 1, kMaxPool},
};

}  // namespace

std::span<const OpKernels> NhwcPoolKernels() { return kNhwcPoolOps; }

}  // namespace waybill::cpu
