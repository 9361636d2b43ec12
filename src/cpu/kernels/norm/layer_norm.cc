// LayerNormalization, RMSNormalization and SimplifiedLayerNormalization of f32.
#include <memory>
#include <utility>

#include "cpu/kernels/lists.h"
#include "cpu/kernels/row_tasks.h"
#include "cpu/norm/normalize.h"
#include "kernel/reference/nn/row_norm.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;
using kernel::reference::BroadcastOffset;

constexpr double kNsPerElem = 0.3;

struct RowPlan final : PlanState {
  size_t rows = 0, size = 0;
};

class LayerNormKernel final : public Kernel {
 public:
  LayerNormKernel(int64_t axis, float epsilon, bool centered)
      : table_(Normalize(BestTarget())), axis_(axis), epsilon_(epsilon), centered_(centered) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& shape = ctx.input_shape(0);
    const auto axis = NormalizeAxis(axis_, shape.rank());
    if (!axis) return Error(Code::kInvalidArgument, "axis {} of shape {}", axis_, shape);
    for (size_t i = 1; i < ctx.num_inputs(); ++i) {
      if (!ctx.has_input(i)) continue;
      const auto together = BroadcastShapes(ctx.input_shape(i), shape);
      if (!together || *together != shape) {
        return Error(Code::kInvalidArgument, "shape {} of input {} does not broadcast to {}",
                     ctx.input_shape(i), i, shape);
      }
    }
    auto plan = std::make_shared<RowPlan>();
    plan->rows = static_cast<size_t>(shape.ElemsBetween(0, *axis));
    plan->size = static_cast<size_t>(shape.ElemsBetween(*axis, shape.rank()));
    // Statistics of a row are needed until the row is written, so rows may be overwritten.
    if (ctx.node().has_output(0)) ctx.AllowInPlace(0, 0);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const RowPlan& plan = *ctx.state<RowPlan>();
    const size_t mean_at = centered_ ? 1 : 0, deviation_at = centered_ ? 2 : 1;
    float* const means =
        centered_ && ctx.wants_output(mean_at) ? ctx.output(mean_at).as<float>() : nullptr;
    float* const deviations =
        ctx.wants_output(deviation_at) ? ctx.output(deviation_at).as<float>() : nullptr;
    const auto* x = ctx.input(0).as<const float>();
    ForRows(ctx, plan.rows, plan.size, kNsPerElem, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        const float* in = x + row * plan.size;
        const RowMoments moments = MomentsOf(table_, in, plan.size, centered_, epsilon_);
        if (means != nullptr) means[row] = moments.mean;
        if (deviations != nullptr) deviations[row] = moments.inverse_deviation;
        if (ctx.wants_output(0)) WriteRow(ctx, plan, row, in, moments);
      }
    });
    return Status::Ok();
  }

 private:
  // Scale and bias of a whole row's shape are read as rows; others element by element.
  void WriteRow(const RunContext& ctx, const RowPlan& plan, size_t row, const float* in,
                const RowMoments& moments) const {
    const TensorView& scale = ctx.input(1);
    const bool has_bias = centered_ && ctx.has_input(2);
    float* const out = ctx.output(0).as<float>() + row * plan.size;
    const auto is_row = [&](const TensorView& view) {
      return static_cast<size_t>(view.elems()) == plan.size;
    };
    if (is_row(scale) && (!has_bias || is_row(ctx.input(2)))) {
      table_.scale(in, moments.mean, moments.inverse_deviation, scale.as<const float>(),
                   has_bias ? ctx.input(2).as<const float>() : nullptr, out, plan.size);
      return;
    }
    table_.scale(in, moments.mean, moments.inverse_deviation, nullptr, nullptr, out, plan.size);
    const Shape& shape = ctx.input(0).shape;
    const auto at = [&](const TensorView& view, size_t i) {
      const auto index = static_cast<int64_t>(row * plan.size + i);
      return view.as<const float>()[BroadcastOffset(view.shape, shape, index)];
    };
    for (size_t i = 0; i < plan.size; ++i) {
      out[i] *= at(scale, i);
      if (has_bias) out[i] += at(ctx.input(2), i);
    }
  }

  const NormalizeTable& table_;
  int64_t axis_;
  float epsilon_;
  bool centered_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    WB_REFUSE_IF(node.has_input(i) && node.input_dtype(i) != DType::kF32,
                 "element type {} is not float", DTypeName(node.input_dtype(i)));
  }
  return Acceptance::Yes();
}

template <bool kCentered>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<LayerNormKernel>(
      node.attrs().Int("axis", -1), node.attrs().Float("epsilon", 1e-5f), kCentered));
}

constexpr KernelImpl kLayerNorm[] = {{"layer_norm.simd", AcceptsFloat, Create<true>}};
constexpr KernelImpl kRmsNorm[] = {{"rms_norm.simd", AcceptsFloat, Create<false>}};

constexpr int kLatest = 1 << 30;
constexpr OpKernels kTable[] = {{"", "LayerNormalization", 1, kLatest, kLayerNorm},
                                {"", "RMSNormalization", 1, kLatest, kRmsNorm},
                                {"", "SimplifiedLayerNormalization", 1, kLatest, kRmsNorm}};

}  // namespace

std::span<const OpKernels> LayerNormKernels() { return kTable; }

}  // namespace waybill::cpu
