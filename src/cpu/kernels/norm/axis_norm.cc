// The internal LayerNormalization of f32: over one axis, whichever it is.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/math/checked.h"
#include "cpu/kernels/lists.h"
#include "cpu/kernels/norm/row_tasks.h"
#include "cpu/norm/columns.h"
#include "cpu/norm/normalize.h"
#include "kernel/reference/support/axis_split.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;
using kernel::reference::AxisSplit;

constexpr double kNsPerElem = 0.3;
constexpr size_t kColumnsPerTask = 128;

struct AxisPlan final : PlanState {
  size_t outer = 0, size = 0, inner = 0;
};

class AxisNormKernel final : public Kernel {
 public:
  AxisNormKernel(int64_t axis, float epsilon)
      : rows_(Normalize(BestTarget())),
        columns_(NormalizeColumns(BestTarget())),
        axis_(axis),
        epsilon_(epsilon) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& shape = ctx.input_shape(0);
    const AxisSplit split = AxisSplit::At(shape, *NormalizeAxis(axis_, shape.rank()));
    auto plan = std::make_shared<AxisPlan>();
    plan->outer = static_cast<size_t>(split.outer);
    plan->size = static_cast<size_t>(split.axis);
    plan->inner = static_cast<size_t>(split.inner);
    ctx.AllowInPlace(0, 0);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const AxisPlan& plan = *ctx.state<AxisPlan>();
    const size_t size = plan.size, inner = plan.inner;
    if (plan.outer * size * inner == 0) return Status::Ok();
    const auto* x = ctx.input(0).as<const float>();
    const auto* scale = ctx.input(1).as<const float>();
    const auto* bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
    auto* y = ctx.output(0).as<float>();
    if (inner == 1) {
      ForRows(ctx, plan.outer, size, kNsPerElem, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) {
          const float* const in = x + row * size;
          const RowMoments moments = MomentsOf(rows_, in, size, true, epsilon_);
          rows_.scale(in, moments.mean, moments.inverse_deviation, scale, bias, y + row * size,
                      size);
        }
      });
      return Status::Ok();
    }
    const size_t pieces = CeilDiv(inner, kColumnsPerTask);
    const size_t columns = CeilDiv(inner, pieces);
    ForRows(ctx, plan.outer * pieces, size * columns, kNsPerElem, [&](size_t begin, size_t end) {
      for (size_t task = begin; task < end; ++task) {
        const size_t offset = task / pieces * size * inner;
        const size_t first = task % pieces * kColumnsPerTask;
        columns_({x + offset, y + offset, size, inner, epsilon_, scale, bias}, first,
                 std::min(inner, first + kColumnsPerTask));
      }
    });
    return Status::Ok();
  }

 private:
  const NormalizeTable& rows_;
  NormalizeColumnsFn columns_;
  int64_t axis_;
  float epsilon_;
};

Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(
      std::make_unique<AxisNormKernel>(node.attrs().Int("axis"), node.attrs().Float("epsilon")));
}

constexpr KernelImpl kAxisNorm[] = {{"axis_norm.simd", nullptr, Create}};
constexpr OpKernels kTable[] = {{graph::kInternalDomain, "LayerNormalization", 1, 1, kAxisNorm}};

}  // namespace

std::span<const OpKernels> AxisNormKernels() { return kTable; }

}  // namespace waybill::cpu
