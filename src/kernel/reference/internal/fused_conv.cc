#include <algorithm>
#include <cmath>
#include <string>

#include "kernel/reference/internal/kernels.h"
#include "kernel/reference/nn/conv_core.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

enum class Activation { kRelu, kClip, kLeakyRelu, kSigmoid, kTanh, kHardSigmoid };

struct FusedConvParams {
  graph::infer::WindowAttrs window;
  int64_t group = 1;
  Activation activation = Activation::kRelu;
  float alpha = 0, beta = 0, min = 0, max = 0;
};

Result<Activation> ParseActivation(const std::string& name) {
  constexpr std::pair<const char*, Activation> kNames[] = {
      {"Relu", Activation::kRelu},           {"Clip", Activation::kClip},
      {"LeakyRelu", Activation::kLeakyRelu}, {"Sigmoid", Activation::kSigmoid},
      {"Tanh", Activation::kTanh},           {"HardSigmoid", Activation::kHardSigmoid}};
  for (const auto& [text, activation] : kNames) {
    if (name == text) return activation;
  }
  return Error(Code::kNotImplemented, "activation '{}' is not known", name);
}

Result<FusedConvParams> Parse(const graph::NodeRef& node) {
  FusedConvParams params;
  WB_ASSIGN_OR_RETURN(params.window, graph::infer::ParseWindow(node.attrs()));
  WB_ASSIGN_OR_RETURN(params.activation, ParseActivation(node.attrs().String("activation")));
  params.group = node.attrs().Int("group", 1);
  params.alpha = node.attrs().Float("activation_alpha");
  params.beta = node.attrs().Float("activation_beta");
  params.min = node.attrs().Float("activation_min");
  params.max = node.attrs().Float("activation_max");
  return params;
}

Status Plan(const FusedConvParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  WB_ASSIGN_OR_RETURN(auto geometry,
                      MakeConvGeometry(ctx.input_shape(0), ctx.input_shape(1), p.window, p.group));
  WB_ASSIGN_OR_RETURN(const size_t bytes, ConvScratchBytes(*geometry, ctx.width()));
  ctx.BookScratch(bytes);
  ctx.SetState(std::move(geometry));
  return Status::Ok();
}

// Comparisons are written so that NaN stays NaN.
template <typename T>
T Activate(const FusedConvParams& p, T x) {
  const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
  switch (p.activation) {
    case Activation::kRelu:
      return x < 0 ? T(0) : x;
    case Activation::kClip: {
      const T low = static_cast<T>(p.min), high = static_cast<T>(p.max);
      const T raised = x < low ? low : x;
      return raised > high ? high : raised;
    }
    case Activation::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case Activation::kSigmoid:
      return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kHardSigmoid: {
      const T line = alpha * x + beta;
      const T raised = line < 0 ? T(0) : line;
      return raised > 1 ? T(1) : raised;
    }
  }
  return x;
}

Status Run(const FusedConvParams& p, RunContext& ctx) {
  const TensorView& y = ctx.output(0);
  WB_RETURN_IF_ERROR(RunConv(ctx, *ctx.state<ConvGeometry>(), ctx.input(0), ctx.input(1),
                             ctx.has_input(2) ? &ctx.input(2) : nullptr, y, ctx.scratch(0)));
  return DispatchDType(y.dtype, NativeFloatTypes{}, [&]<typename T>() {
    for (T& value : y.span<T>()) value = Activate<T>(p, value);
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kFusedConv[1] = {
    PlannedImpl<FusedConvParams, Parse, Plan, Run>("fused_conv.reference")};

}  // namespace waybill::kernel::reference
