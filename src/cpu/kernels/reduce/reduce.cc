// ReduceSum and its sisters of f32 over any axes.
#include "cpu/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/math/checked.h"
#include "cpu/kernels/lists.h"
#include "cpu/kernels/reduce/axes.h"
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

constexpr double kNsPerElem = 0.12;
constexpr size_t kColumnsPerTask = 256;

// What happens to the reduced value.
enum class Finish : uint8_t { kNothing, kMean, kRoot, kLog };

struct Operation {
  std::string_view name;
  ReduceOp op;
  Finish finish;
};

constexpr Operation kOperations[] = {
    {"ReduceSum", ReduceOp::kSum, Finish::kNothing},
    {"ReduceMean", ReduceOp::kSum, Finish::kMean},
    {"ReduceMax", ReduceOp::kMax, Finish::kNothing},
    {"ReduceMin", ReduceOp::kMin, Finish::kNothing},
    {"ReduceProd", ReduceOp::kProduct, Finish::kNothing},
    {"ReduceL1", ReduceOp::kSumAbs, Finish::kNothing},
    {"ReduceL2", ReduceOp::kSumSquare, Finish::kRoot},
    {"ReduceSumSquare", ReduceOp::kSumSquare, Finish::kNothing},
    {"ReduceLogSum", ReduceOp::kSum, Finish::kLog},
};

struct ReducePlan final : PlanState {
  ReduceAxes axes;
};

class ReduceKernel final : public Kernel {
 public:
  ReduceKernel(const Operation& operation, std::vector<int64_t> axes, bool noop)
      : reduction_(ReductionOf(BestTarget(), operation.op)),
        finish_(operation.finish),
        axes_(std::move(axes)),
        noop_with_empty_axes_(noop) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    // Axes that are not known yet leave the output without a shape: this is called again.
    if (ctx.has_input(1) && ctx.values(1) == nullptr) return Status::Ok();
    auto plan = std::make_shared<ReducePlan>();
    WB_ASSIGN_OR_RETURN(plan->axes,
                        AxesOf(ctx.input_shape(0), ctx.has_input(1) ? ctx.values(1) : nullptr));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    if (const auto* plan = ctx.state<ReducePlan>()) return Reduce(ctx, plan->axes);
    WB_ASSIGN_OR_RETURN(const ReduceAxes axes, AxesOf(ctx.input(0).shape, &ctx.input(1)));
    return Reduce(ctx, axes);
  }

 private:
  Result<ReduceAxes> AxesOf(const Shape& shape, const TensorView* values) const {
    std::span<const int64_t> axes = axes_;
    if (values != nullptr) axes = values->span<const int64_t>();
    if (axes.empty() && noop_with_empty_axes_) return NothingReduced(shape);
    return MakeReduceAxes(shape, axes);
  }

  Status Reduce(RunContext& ctx, const ReduceAxes& axes) const {
    const auto* x = ctx.input(0).as<const float>();
    auto* y = ctx.output(0).as<float>();
    const auto elems = static_cast<size_t>(ctx.input(0).elems());
    const size_t threads = ThreadsFor(elems, kNsPerElem, ctx.width());
    if (axes.inner_is_reduced) {
      ParallelFor(ctx.pool(), axes.kept_count, threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) y[i] = ReduceRow(axes, x + OffsetOf(axes.kept, i));
      });
      return Status::Ok();
    }
    const size_t pieces = CeilDiv(axes.inner, kColumnsPerTask);
    ParallelFor(ctx.pool(), axes.kept_count * pieces, threads, [&](size_t begin, size_t end) {
      for (size_t task = begin; task < end; ++task) {
        const size_t first = task % pieces * kColumnsPerTask, row = task / pieces;
        ReduceColumns(axes, x + OffsetOf(axes.kept, row) + first, y + row * axes.inner + first,
                      std::min(kColumnsPerTask, axes.inner - first));
      }
    });
    return Status::Ok();
  }

  float ReduceRow(const ReduceAxes& axes, const float* x) const {
    double value = reduction_.row.start;
    for (size_t k = 0; k < axes.reduced_count; ++k) {
      value = reduction_.row.take(value, x + OffsetOf(axes.reduced, k), axes.inner);
    }
    return static_cast<float>(Finished(value, axes.reduced_count * axes.inner));
  }

  void ReduceColumns(const ReduceAxes& axes, const float* x, float* y, size_t columns) const {
    std::fill_n(y, columns, reduction_.columns.start);
    for (size_t k = 0; k < axes.reduced_count; ++k) {
      reduction_.columns.take(x + OffsetOf(axes.reduced, k), axes.rows.dim, axes.rows.stride,
                              columns, y);
    }
    if (finish_ == Finish::kNothing) return;
    const size_t count = axes.reduced_count * axes.rows.dim;
    for (size_t c = 0; c < columns; ++c) {
      y[c] = static_cast<float>(Finished(static_cast<double>(y[c]), count));
    }
  }

  double Finished(double value, size_t count) const {
    switch (finish_) {
      case Finish::kNothing:
        return value;
      case Finish::kMean:
        return value / static_cast<double>(count);
      case Finish::kRoot:
        return std::sqrt(value);
      case Finish::kLog:
        return std::log(value);
    }
    return value;
  }

  const Reduction& reduction_;
  Finish finish_;
  std::vector<int64_t> axes_;  // of the attribute
  bool noop_with_empty_axes_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  for (const Operation& operation : kOperations) {
    if (operation.name != node.node().op_type) continue;
    return std::unique_ptr<Kernel>(std::make_unique<ReduceKernel>(
        operation, node.attrs().Ints("axes"), node.attrs().Int("noop_with_empty_axes") != 0));
  }
  return Error(Code::kNotImplemented, "'{}' is no reduction", node.node().op_type);
}

constexpr KernelImpl kReduce[] = {{"reduce.simd", AcceptsFloat, Create}};

constexpr int kLatest = 1 << 30;
constexpr OpKernels kTable[] = {
    {"", "ReduceSum", 1, kLatest, kReduce},    {"", "ReduceMean", 1, kLatest, kReduce},
    {"", "ReduceMax", 1, kLatest, kReduce},    {"", "ReduceMin", 1, kLatest, kReduce},
    {"", "ReduceProd", 1, kLatest, kReduce},   {"", "ReduceL1", 1, kLatest, kReduce},
    {"", "ReduceL2", 1, kLatest, kReduce},     {"", "ReduceSumSquare", 1, kLatest, kReduce},
    {"", "ReduceLogSum", 1, kLatest, kReduce},
};

}  // namespace

std::span<const OpKernels> ReduceKernels() { return kTable; }

}  // namespace waybill::cpu
