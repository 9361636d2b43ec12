// Softmax and LogSoftmax of f32 along any axis; before version 13 over all dimensions from the axis
// on as if they were one.
#include "cpu/norm/softmax.h"

#include <memory>

#include "cpu/kernels/axis_plan.h"
#include "cpu/kernels/lists.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;
using kernel::reference::AxisSplit;

constexpr double kNsPerElem = 0.7;
constexpr size_t kColumnsPerTask = 128;

class SoftmaxKernel final : public Kernel {
 public:
  SoftmaxKernel(const SoftmaxFunctions& functions, int64_t axis, bool flatten)
      : functions_(functions), axis_(axis), flatten_(flatten) {}

  Status Plan(PlanContext& ctx) const override {
    const Shape& shape = ctx.input_shape(0);
    const auto rank = static_cast<int64_t>(shape.rank());
    const int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
    if (axis < 0 || axis > rank || (axis == rank && rank > 0 && !flatten_)) {
      return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis_, rank);
    }
    ctx.SetOutput(0, DType::kF32, shape);
    ctx.AllowInPlace(0, 0);
    const auto at = static_cast<size_t>(axis);
    const AxisSplit split =
        flatten_ || rank == 0 ? AxisSplit::Flattened(shape, at) : AxisSplit::At(shape, at);
    ctx.SetState(std::make_shared<AxisPlan>(split));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const AxisPlan& plan = *ctx.state<AxisPlan>();
    const size_t size = plan.size, inner = plan.inner;
    if (plan.elems() == 0) return Status::Ok();
    const auto* x = ctx.input(0).as<const float>();
    auto* y = ctx.output(0).as<float>();
    if (inner == 1) {
      ForRows(ctx, plan.outer, size, kNsPerElem, [&](size_t begin, size_t end) {
        functions_.rows(x + begin * size, y + begin * size, end - begin, size);
      });
      return Status::Ok();
    }
    ForColumns(ctx, plan, kColumnsPerTask, kNsPerElem,
               [&](size_t matrix, size_t begin, size_t end) {
                 const size_t offset = matrix * size * inner;
                 functions_.columns(x + offset, y + offset, size, inner, begin, end);
               });
    return Status::Ok();
  }

 private:
  SoftmaxFunctions functions_;
  int64_t axis_;
  bool flatten_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

template <SoftmaxFunctions SoftmaxTable::*kMember>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  const bool flatten = node.since_version() < 13;
  return std::unique_ptr<Kernel>(std::make_unique<SoftmaxKernel>(
      Softmax(BestTarget()).*kMember, node.attrs().Int("axis", flatten ? 1 : -1), flatten));
}

constexpr KernelImpl kSoftmax[] = {{"softmax.simd", AcceptsFloat, Create<&SoftmaxTable::softmax>}};
constexpr KernelImpl kLogSoftmax[] = {
    {"log_softmax.simd", AcceptsFloat, Create<&SoftmaxTable::log_softmax>}};

constexpr OpKernels kTable[] = {{"", "Softmax", 1, 1 << 30, kSoftmax},
                                {"", "LogSoftmax", 1, 1 << 30, kLogSoftmax}};

}  // namespace

std::span<const OpKernels> SoftmaxKernels() { return kTable; }

}  // namespace waybill::cpu
