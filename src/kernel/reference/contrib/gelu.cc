// Gelu and its variants, with and without a bias.
#include <cmath>

#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

// y = fn(x + bias), the bias repeated along the rows.
template <typename Fn>
Status Activate(RunContext& ctx, const Fn& fn) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const TensorView* const bias = ctx.has_input(1) ? &ctx.input(1) : nullptr;
  const int64_t width = bias == nullptr ? 0 : bias->elems();
  if (bias != nullptr && (x.shape.rank() == 0 || x.shape[x.shape.rank() - 1] != width)) {
    return Error(Code::kInvalidArgument, "bias of shape {} does not fit rows of {}", bias->shape,
                 x.shape);
  }
  for (int64_t i = 0; i < x.elems(); ++i) {
    double v = ReadFloat(x, i);
    if (bias != nullptr) v += ReadFloat(*bias, i % width);
    WriteFloat(y, i, fn(v));
  }
  return Status::Ok();
}

Status RunGelu(RunContext& ctx) {
  return Activate(ctx, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); });
}

Status RunFastGelu(RunContext& ctx) {
  const double root = std::sqrt(2.0 / std::acos(-1.0));
  return Activate(
      ctx, [=](double x) { return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x))); });
}

struct QuickGeluParams {
  double alpha;
};

Result<QuickGeluParams> ParseQuickGelu(const graph::NodeRef& node) {
  return QuickGeluParams{static_cast<double>(node.attrs().Float("alpha", 1.702f))};
}

Status RunQuickGelu(const QuickGeluParams& p, RunContext& ctx) {
  return Activate(ctx, [&](double x) { return x / (1 + std::exp(-p.alpha * x)); });
}

}  // namespace

constinit const KernelImpl kMsGelu[1] = {
    FunctionImpl<RunGelu, PlanElementwise>("ms_gelu.reference")};
constinit const KernelImpl kMsFastGelu[1] = {
    FunctionImpl<RunFastGelu, PlanElementwise>("ms_fast_gelu.reference")};
constinit const KernelImpl kMsQuickGelu[1] = {
    FunctionImpl<QuickGeluParams, ParseQuickGelu, RunQuickGelu, PlanElementwise>(
        "ms_quick_gelu.reference")};

}  // namespace waybill::kernel::reference
