#include <cmath>
#include <limits>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

// Reduces all spatial elements of each channel: step(state, element), then finish(state, count).
template <typename Step, typename Finish>
Status ReduceChannels(RunContext& ctx, double start, const Step& step, const Finish& finish) {
  const Shape& shape = ctx.input(0).shape;
  const int64_t channels = shape.ElemsBetween(0, 2), size = shape.ElemsBetween(2, shape.rank());
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(channels), [&](size_t channel, size_t) {
      const T* const row = x + static_cast<int64_t>(channel) * size;
      double state = start;
      for (int64_t i = 0; i < size; ++i) state = step(state, static_cast<double>(row[i]));
      y[channel] = static_cast<T>(finish(state, static_cast<double>(size)));
    });
    return Status::Ok();
  });
}

Status RunGlobalAveragePool(RunContext& ctx) {
  return ReduceChannels(
      ctx, 0, [](double sum, double v) { return sum + v; },
      [](double sum, double count) { return sum / count; });
}

Status RunGlobalMaxPool(RunContext& ctx) {
  return ReduceChannels(
      ctx, -std::numeric_limits<double>::infinity(),
      [](double best, double v) { return v > best || std::isnan(v) ? v : best; },
      [](double best, double) { return best; });
}

struct LpParams {
  double p = 2;
};

Result<LpParams> ParseLp(const graph::NodeRef& node) {
  if (const float* p = node.attrs().Get<float>("p")) return LpParams{static_cast<double>(*p)};
  return LpParams{static_cast<double>(node.attrs().Int("p", 2))};
}

Status RunGlobalLpPool(const LpParams& params, RunContext& ctx) {
  return ReduceChannels(
      ctx, 0, [&](double sum, double v) { return sum + std::pow(std::fabs(v), params.p); },
      [&](double sum, double) { return std::pow(sum, 1.0 / params.p); });
}

}  // namespace

constinit const KernelImpl kGlobalAveragePool[1] = {
    FunctionImpl<RunGlobalAveragePool>("global_average_pool.reference")};
constinit const KernelImpl kGlobalMaxPool[1] = {
    FunctionImpl<RunGlobalMaxPool>("global_max_pool.reference")};
constinit const KernelImpl kGlobalLpPool[1] = {
    FunctionImpl<LpParams, ParseLp, RunGlobalLpPool>("global_lp_pool.reference")};

}  // namespace waybill::kernel::reference
