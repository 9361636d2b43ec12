// Resize and Upsample: nearest for elements of every width, linear and cubic for f32.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "cpu/kernels/lists.h"
#include "cpu/move/copy_plan.h"
#include "cpu/resize/resize_plan.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::PlanContext;
using kernel::RunContext;
using kernel::reference::CoordinateMode;
using kernel::reference::ResizeMode;
using kernel::reference::ResizeParams;
using kernel::reference::TapAxes;

constexpr double kNsPerByte = 0.3;

struct ResizeState final : kernel::PlanState {
  size_t HeapBytes() const override { return 1024 + 32 * table_entries; }

  std::optional<BlendPlan> blend;
  std::optional<NearestPlan> nearest;
  size_t threads = 1;
  size_t table_entries = 0;  // of all axes together
};

class ResizeKernel final : public Kernel {
 public:
  explicit ResizeKernel(ResizeParams params) : params_(std::move(params)) {}

  Status Plan(PlanContext& ctx) const override {
    const Shape& in = ctx.input_shape(0);
    for (const size_t input : {params_.sizes.scales_input, params_.sizes.sizes_input}) {
      if (input != 0 && ctx.has_input(input) && ctx.values(input) == nullptr) return Status::Ok();
    }
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape* out = ctx.output_shape(0);
    if (out == nullptr) return Status::Ok();
    TapAxes axes;
    const auto values = [&](size_t input) { return input == 0 ? nullptr : ctx.values(input); };
    WB_RETURN_IF_ERROR(
        kernel::reference::ResizeAxesOf(params_, in, values(params_.sizes.scales_input),
                                        values(params_.sizes.sizes_input), nullptr, &axes));
    if (out->elems() == 0) return Status::Ok();
    if (in.elems() == 0) {
      return Error(Code::kInvalidArgument, "nothing of shape {} can be resized to {}", in, *out);
    }
    for (size_t i = 0; i < in.rank(); ++i) {
      if (in[i] > std::numeric_limits<uint32_t>::max()) {
        return Error(Code::kNotImplemented, "resize of an axis of {}", in[i]);
      }
      if (axes[i].out != (*out)[i]) {
        return Error(Code::kInvalidArgument, "axis {} becomes {}, the plan says {}", i, axes[i].out,
                     *out);
      }
    }
    ResizeShape shape = MakeResizeShape(params_.taps, axes, in.rank());
    if (shape.axes.empty()) {
      ctx.MakeView(0, 0);
      return Status::Ok();
    }
    auto state = std::make_shared<ResizeState>();
    for (const int64_t dim : out->dims()) state->table_entries += static_cast<size_t>(dim);
    if (params_.taps.mode == ResizeMode::kNearest) {
      const NearestPlan& plan =
          state->nearest.emplace(std::move(shape), DTypeBits(ctx.input_dtype(0)) / 8);
      state->threads = ThreadsFor(plan.out_bytes(), kNsPerByte, std::min(ctx.width(), plan.rows()));
    } else {
      const BlendPlan& plan = state->blend.emplace(std::move(shape));
      state->threads = ThreadsFor(plan.out_elems() * sizeof(float), kNsPerByte,
                                  std::min(ctx.width(), plan.tasks()));
      ctx.BookScratch(plan.scratch_floats() * sizeof(float) * state->threads);
    }
    ctx.SetState(std::move(state));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const auto* state = ctx.state<ResizeState>();
    if (state == nullptr) return Status::Ok();
    if (state->nearest) {
      const NearestPlan& plan = *state->nearest;
      const std::byte* x = ctx.input(0).data;
      std::byte* y = ctx.output(0).data;
      ParallelFor(ctx.pool(), plan.rows(), state->threads,
                  [&](size_t begin, size_t end) { plan.Run(x, y, begin, end); });
      return Status::Ok();
    }
    const BlendPlan& plan = *state->blend;
    const BlendTable& functions = BlendFunctions(BestTarget());
    const auto* x = ctx.input(0).as<const float>();
    auto* y = ctx.output(0).as<float>();
    auto* scratch = ctx.scratch<float>(0);
    const size_t threads = state->threads;
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        plan.Run(functions, x, y, scratch + worker * plan.scratch_floats(),
                 plan.tasks() * worker / threads, plan.tasks() * (worker + 1) / threads);
      }
    });
    return Status::Ok();
  }

 private:
  ResizeParams params_;
};

Acceptance AcceptsResize(const graph::NodeRef& node) {
  const Result<ResizeParams> params = kernel::reference::ParseResizeNode(node);
  WB_REFUSE_IF(!params.ok(), "{}", params.status().message());
  WB_REFUSE_IF(params->taps.coordinates == CoordinateMode::kTfCropAndResize,
               "a crop may reach outside");
  if (params->taps.mode == ResizeMode::kNearest) return AcceptsMove(node);
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> MakeResize(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(ResizeParams params, kernel::reference::ParseResizeNode(node));
  return std::unique_ptr<Kernel>(std::make_unique<ResizeKernel>(std::move(params)));
}

constexpr KernelImpl kResize[] = {{"resize.separable", AcceptsResize, MakeResize}};
constexpr KernelImpl kUpsample[] = {{"upsample.separable", AcceptsResize, MakeResize}};
constexpr kernel::OpKernels kResizeOps[] = {{"", "Resize", 1, 1 << 30, kResize},
                                            {"", "Upsample", 1, 1 << 30, kUpsample}};

}  // namespace

std::span<const kernel::OpKernels> ResizeKernels() { return kResizeOps; }

}  // namespace waybill::cpu
