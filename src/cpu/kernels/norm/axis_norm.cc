// The internal LayerNormalization of f32: over one axis, whichever it is.
#include <memory>

#include "cpu/kernels/axis_plan.h"
#include "cpu/kernels/lists.h"
#include "cpu/norm/columns.h"
#include "cpu/norm/normalize.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;
using kernel::reference::AxisSplit;

constexpr double kNsPerElem = 0.3;
constexpr size_t kColumnsPerTask = 128;

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
    const size_t axis = *NormalizeAxis(axis_, shape.rank());
    ctx.AllowInPlace(0, 0);
    ctx.SetState(std::make_shared<AxisPlan>(AxisSplit::At(shape, axis)));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const AxisPlan& plan = *ctx.state<AxisPlan>();
    const size_t size = plan.size, inner = plan.inner;
    if (plan.elems() == 0) return Status::Ok();
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
    ForColumns(ctx, plan, kColumnsPerTask, kNsPerElem,
               [&](size_t matrix, size_t begin, size_t end) {
                 const size_t offset = matrix * size * inner;
                 columns_({x + offset, y + offset, size, inner, epsilon_, scale, bias}, begin, end);
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
