// Adagrad, Adam, Momentum: one step of a gradient method over any number of tensors, in double.
#include <cmath>
#include <string>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct StepParams {
  double norm, norm_post, alpha, beta, decay, epsilon;
  bool nesterov;
};
Result<StepParams> ParseStep(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  const std::string mode = attrs.String("mode", "standard");
  if (mode != "standard" && mode != "nesterov") {
    return Error(Code::kInvalidArgument, "mode is \"{}\", not \"standard\" or \"nesterov\"", mode);
  }
  return StepParams{attrs.Float("norm_coefficient"),
                    attrs.Float("norm_coefficient_post"),
                    attrs.Float("alpha"),
                    attrs.Float("beta"),
                    attrs.Float("decay_factor"),
                    attrs.Float("epsilon"),
                    mode == "nesterov"};
}

// One element of a tensor: its value, gradient and up to two histories.
struct Point {
  double x, g;
  double history[2];
};

// Each method changes the point; `rate` and `count` are the node's first inputs.
struct AdagradStep {
  static constexpr size_t kHistories = 1;
  static void Apply(const StepParams& p, double rate, double count, Point& at) {
    const double g = p.norm * at.x + at.g;
    at.history[0] += g * g;
    at.x -= rate / (1 + count * p.decay) * g / (std::sqrt(at.history[0]) + p.epsilon);
  }
};
struct AdamStep {
  static constexpr size_t kHistories = 2;
  static void Apply(const StepParams& p, double rate, double count, Point& at) {
    const double g = p.norm * at.x + at.g;
    at.history[0] = p.alpha * at.history[0] + (1 - p.alpha) * g;
    at.history[1] = p.beta * at.history[1] + (1 - p.beta) * g * g;
    if (count > 0) {
      rate *= std::sqrt(1 - std::pow(p.beta, count)) / (1 - std::pow(p.alpha, count));
    }
    at.x -= rate * at.history[0] / (std::sqrt(at.history[1]) + p.epsilon);
    at.x *= 1 - p.norm_post;
  }
};
struct MomentumStep {
  static constexpr size_t kHistories = 1;
  static void Apply(const StepParams& p, double rate, double count, Point& at) {
    const double g = p.norm * at.x + at.g;
    at.history[0] = p.alpha * at.history[0] + (count > 0 ? p.beta : 1) * g;
    at.x -= rate * (p.nesterov ? g + p.alpha * at.history[0] : at.history[0]);
  }
};

template <typename Step, typename T>
Status StepTensor(const StepParams& params, double rate, double count, RunContext& ctx, size_t i,
                  size_t tensors) {
  const TensorView& x = ctx.input(2 + i);
  for (size_t group = 1; group < 2 + Step::kHistories; ++group) {
    const TensorView& other = ctx.input(2 + group * tensors + i);
    if (other.shape != x.shape || other.dtype != x.dtype) {
      return Error(Code::kInvalidArgument, "tensor {} is {}, its companion {}", i, x.Describe(),
                   other.Describe());
    }
  }
  for (int64_t k = 0; k < x.elems(); ++k) {
    const auto read = [&](size_t group) {
      return static_cast<double>(ctx.input(2 + group * tensors + i).template as<T>()[k]);
    };
    Point at{read(0), read(1), {read(2), Step::kHistories > 1 ? read(3) : 0}};
    Step::Apply(params, rate, count, at);
    if (ctx.wants_output(i)) ctx.output(i).template as<T>()[k] = static_cast<T>(at.x);
    for (size_t h = 0; h < Step::kHistories; ++h) {
      const size_t out = (1 + h) * tensors + i;
      if (ctx.wants_output(out)) {
        ctx.output(out).template as<T>()[k] = static_cast<T>(at.history[h]);
      }
    }
  }
  return Status::Ok();
}

template <typename Step>
Status RunStep(const StepParams& params, RunContext& ctx) {
  const size_t tensors = (ctx.num_inputs() - 2) / (2 + Step::kHistories);
  double rate = 0, count = 0;
  if (ctx.input(0).elems() != 1 || ctx.input(1).elems() != 1) {
    return Error(Code::kInvalidArgument, "learning rate and update count must be scalars");
  }
  WB_RETURN_IF_ERROR(DispatchDType(ctx.input(0).dtype, NativeFloatTypes{}, [&]<typename T>() {
    rate = static_cast<double>(ctx.input(0).as<T>()[0]);
    return Status::Ok();
  }));
  count = static_cast<double>(ctx.input(1).as<int64_t>()[0]);
  for (size_t i = 0; i < tensors; ++i) {
    WB_RETURN_IF_ERROR(DispatchDType(ctx.input(2 + i).dtype, NativeFloatTypes{}, [&]<typename T>() {
      return StepTensor<Step, T>(params, rate, count, ctx, i, tensors);
    }));
  }
  return Status::Ok();
}

constexpr std::string_view kDomain = "ai.onnx.preview.training";

constexpr KernelImpl kAdagrad[] = {
    FunctionImpl<StepParams, ParseStep, RunStep<AdagradStep>>("adagrad.reference")};
constexpr KernelImpl kAdam[] = {
    FunctionImpl<StepParams, ParseStep, RunStep<AdamStep>>("adam.reference")};
constexpr KernelImpl kMomentum[] = {
    FunctionImpl<StepParams, ParseStep, RunStep<MomentumStep>>("momentum.reference")};

constexpr OpKernels kTable[] = {
    {.domain = kDomain, .op_type = "Adagrad", .impls = kAdagrad},
    {.domain = kDomain, .op_type = "Adam", .impls = kAdam},
    {.domain = kDomain, .op_type = "Momentum", .impls = kMomentum},
};

}  // namespace

KernelTable OptimizerKernels() { return kTable; }

}  // namespace waybill::kernel::reference
