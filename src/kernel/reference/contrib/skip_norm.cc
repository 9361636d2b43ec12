#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/nn/row_norm.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct SkipNormParams {
  double epsilon;
  bool centered;
};

Result<SkipNormParams> ParseSkipNorm(const graph::NodeRef& node) {
  return SkipNormParams{static_cast<double>(node.attrs().Float("epsilon", 1e-5f)), true};
}

Result<SkipNormParams> ParseSkipRms(const graph::NodeRef& node) {
  return SkipNormParams{static_cast<double>(node.attrs().Float("epsilon", 1e-5f)), false};
}

// Outputs: normalized, mean, inverse deviation, sum.
enum Output : size_t { kNormalized, kMean, kDeviation, kSum };

Status RunSkipNorm(const SkipNormParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &skip = ctx.input(1), &gamma = ctx.input(2);
  const size_t bias_at = p.centered ? 4 : 3;
  const TensorView* const beta = p.centered && ctx.has_input(3) ? &ctx.input(3) : nullptr;
  const TensorView* const bias = ctx.has_input(bias_at) ? &ctx.input(bias_at) : nullptr;
  const int64_t size = x.shape[x.shape.rank() - 1];
  for (const TensorView* vector : {&gamma, beta, bias}) {
    if (vector != nullptr && vector->elems() != size) {
      return Error(Code::kInvalidArgument, "a parameter has shape {}, rows have {} elements",
                   vector->shape, size);
    }
  }
  const int64_t skip_elems = skip.elems();
  if (x.elems() == 0) return Status::Ok();
  if (skip_elems == 0 || skip_elems % size != 0 || x.elems() % skip_elems != 0) {
    return Error(Code::kInvalidArgument, "skip of shape {} does not broadcast to {}", skip.shape,
                 x.shape);
  }
  ForEachPiece(ctx, static_cast<size_t>(x.elems() / size), [&](size_t piece, size_t) {
    const int64_t row = static_cast<int64_t>(piece) * size;
    const auto sum = [&](int64_t i) {
      double v = ReadFloat(x, row + i) + ReadFloat(skip, (row + i) % skip_elems);
      return bias == nullptr ? v : v + ReadFloat(*bias, i);
    };
    const RowStatistics stats = RowStats(size, p.centered, p.epsilon, sum);
    if (ctx.wants_output(kMean)) {
      WriteFloat(ctx.output(kMean), static_cast<int64_t>(piece), stats.mean);
    }
    if (ctx.wants_output(kDeviation)) {
      WriteFloat(ctx.output(kDeviation), static_cast<int64_t>(piece), stats.inverse_deviation);
    }
    for (int64_t i = 0; i < size; ++i) {
      const double v = sum(i);
      if (ctx.wants_output(kSum)) WriteFloat(ctx.output(kSum), row + i, v);
      if (!ctx.wants_output(kNormalized)) continue;
      double y = (v - stats.mean) * stats.inverse_deviation * ReadFloat(gamma, i);
      if (beta != nullptr) y += ReadFloat(*beta, i);
      WriteFloat(ctx.output(kNormalized), row + i, y);
    }
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kSkipLayerNorm[1] = {
    FunctionImpl<SkipNormParams, ParseSkipNorm, RunSkipNorm>("skip_layer_normalization.reference")};
constinit const KernelImpl kSkipSimplifiedLayerNorm[1] = {
    FunctionImpl<SkipNormParams, ParseSkipRms, RunSkipNorm>(
        "skip_simplified_layer_normalization.reference")};

}  // namespace waybill::kernel::reference
