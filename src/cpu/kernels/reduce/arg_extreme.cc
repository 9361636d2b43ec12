// ArgMax and ArgMin of f32 along any axis.
#include <limits>
#include <memory>

#include "cpu/kernels/axis_plan.h"
#include "cpu/kernels/lists.h"
#include "cpu/reduce/reduce.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;
using kernel::reference::AxisSplit;

constexpr double kNsPerElem = 0.3;
constexpr size_t kColumnsPerTask = 256;

class ArgKernel final : public Kernel {
 public:
  ArgKernel(bool smallest, int64_t axis, bool last)
      : table_(ArgExtremes(BestTarget())), smallest_(smallest), axis_(axis), last_(last) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& shape = ctx.input_shape(0);
    AxisSplit split;
    if (shape.rank() > 0) {
      const auto axis = NormalizeAxis(axis_, shape.rank());
      if (!axis) {
        return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis_,
                     shape.rank());
      }
      split = AxisSplit::At(shape, *axis);
      if (split.axis == 0 && split.lines() > 0) {
        return Error(Code::kInvalidArgument, "axis {} of shape {} has no elements to choose from",
                     axis_, shape);
      }
      if (split.axis > std::numeric_limits<int32_t>::max()) {
        return Error(Code::kNotImplemented, "axis {} of shape {} is too long", axis_, shape);
      }
    }
    ctx.SetState(std::make_shared<AxisPlan>(split));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const AxisPlan& plan = *ctx.state<AxisPlan>();
    const size_t size = plan.size, inner = plan.inner;
    const auto* x = ctx.input(0).as<const float>();
    auto* y = ctx.output(0).as<int64_t>();
    if (plan.elems() == 0) return Status::Ok();
    if (inner == 1) {
      ForRows(ctx, plan.outer, size, kNsPerElem, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          y[i] = static_cast<int64_t>(table_.row(x + i * size, size, smallest_, last_));
        }
      });
      return Status::Ok();
    }
    ForColumns(ctx, plan, kColumnsPerTask, kNsPerElem,
               [&](size_t matrix, size_t begin, size_t end) {
                 table_.columns(x + matrix * size * inner, size, inner, begin, end, smallest_,
                                last_, y + matrix * inner);
               });
    return Status::Ok();
  }

 private:
  const ArgTable& table_;
  bool smallest_;
  int64_t axis_;
  bool last_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

template <bool kSmallest>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<ArgKernel>(
      kSmallest, node.attrs().Int("axis"), node.attrs().Int("select_last_index") != 0));
}

constexpr KernelImpl kArgMax[] = {{"arg_max.simd", AcceptsFloat, Create<false>}};
constexpr KernelImpl kArgMin[] = {{"arg_min.simd", AcceptsFloat, Create<true>}};

constexpr OpKernels kTable[] = {{"", "ArgMax", 1, 1 << 30, kArgMax},
                                {"", "ArgMin", 1, 1 << 30, kArgMin}};

}  // namespace

std::span<const OpKernels> ArgKernels() { return kTable; }

}  // namespace waybill::cpu
