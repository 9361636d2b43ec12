// Activation functions: elementwise, most with attributes.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernel/reference/math/tables.h"
#include "kernel/reference/math/unary.h"
#include "kernel/reference/support/strided.h"

namespace waybill::kernel::reference {

namespace {

template <typename T>
T Sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}
template <typename T>
T Softplus(T x) {
  return std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x)));
}
// NaN stays NaN.
template <typename T>
T Clamp01(T x) {
  return x < T(0) ? T(0) : x > T(1) ? T(1) : x;
}

struct ReluOp {
  static constexpr std::string_view kName = "relu.reference";
  template <typename T>
  static T Apply(T x) {
    return x < T(0) ? T(0) : x;
  }
};
struct SigmoidOp {
  static constexpr std::string_view kName = "sigmoid.reference";
  template <typename T>
  static T Apply(T x) {
    return Sigmoid(x);
  }
};
struct HardSwishOp {
  static constexpr std::string_view kName = "hard_swish.reference";
  template <typename T>
  static T Apply(T x) {
    return x * Clamp01(x / T(6) + T(0.5));
  }
};
struct SoftplusOp {
  static constexpr std::string_view kName = "softplus.reference";
  template <typename T>
  static T Apply(T x) {
    return std::isnan(x) ? x : Softplus(x);
  }
};
struct SoftsignOp {
  static constexpr std::string_view kName = "softsign.reference";
  template <typename T>
  static T Apply(T x) {
    return x / (T(1) + std::abs(x));
  }
};
struct MishOp {
  static constexpr std::string_view kName = "mish.reference";
  template <typename T>
  static T Apply(T x) {
    return x * std::tanh(Softplus(x));
  }
};

// The operations with one number, called `alpha` by all of them.
#define WB_ALPHA_OP(Op, name, expression)                 \
  struct Op {                                             \
    static constexpr std::string_view kName = name;       \
    float alpha_value;                                    \
    static Result<Op> Parse(const graph::NodeRef& node) { \
      return Op{node.attrs().Float("alpha")};             \
    }                                                     \
    template <typename T>                                 \
    T Apply(T x) const {                                  \
      const T alpha = static_cast<T>(alpha_value);        \
      return expression;                                  \
    }                                                     \
  };

WB_ALPHA_OP(LeakyReluOp, "leaky_relu.reference", x < T(0) ? alpha * x : x)
WB_ALPHA_OP(EluOp, "elu.reference", x < T(0) ? alpha * std::expm1(x) : x)
WB_ALPHA_OP(CeluOp, "celu.reference", x < T(0) ? alpha * std::expm1(x / alpha) : x)
WB_ALPHA_OP(ThresholdedReluOp, "thresholded_relu.reference", x > alpha || std::isnan(x) ? x : T(0))
WB_ALPHA_OP(SwishOp, "swish.reference", x* Sigmoid(alpha* x))

#undef WB_ALPHA_OP

struct SeluOp {
  static constexpr std::string_view kName = "selu.reference";
  float alpha, gamma;
  static Result<SeluOp> Parse(const graph::NodeRef& node) {
    return SeluOp{node.attrs().Float("alpha"), node.attrs().Float("gamma")};
  }
  template <typename T>
  T Apply(T x) const {
    return T(gamma) * (x > T(0) ? x : T(alpha) * std::expm1(x));
  }
};

struct HardSigmoidOp {
  static constexpr std::string_view kName = "hard_sigmoid.reference";
  float alpha, beta;
  static Result<HardSigmoidOp> Parse(const graph::NodeRef& node) {
    return HardSigmoidOp{node.attrs().Float("alpha"), node.attrs().Float("beta")};
  }
  template <typename T>
  T Apply(T x) const {
    return Clamp01(T(alpha) * x + T(beta));
  }
};

struct GeluOp {
  static constexpr std::string_view kName = "gelu.reference";
  bool tanh_form;
  static Result<GeluOp> Parse(const graph::NodeRef& node) {
    const std::string form = node.attrs().String("approximate");
    if (form != "none" && form != "tanh") {
      return Error(Code::kInvalidArgument, "approximate is \"{}\", not \"none\" or \"tanh\"", form);
    }
    return GeluOp{form == "tanh"};
  }
  template <typename T>
  T Apply(T x) const {
    constexpr double kSqrtHalf = 0.70710678118654752440;
    constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
    if (!tanh_form) return T(0.5) * x * (T(1) + std::erf(x * T(kSqrtHalf)));
    return T(0.5) * x * (T(1) + std::tanh(T(kSqrtTwoOverPi) * (x + T(0.044715) * x * x * x)));
  }
};

struct ShrinkOp {
  static constexpr std::string_view kName = "shrink.reference";
  float lambd, bias;
  static Result<ShrinkOp> Parse(const graph::NodeRef& node) {
    return ShrinkOp{node.attrs().Float("lambd"), node.attrs().Float("bias")};
  }
  // Integers are shrunk as real numbers and cut back to integers, at their own range.
  template <typename T>
  T Apply(T x) const {
    const double wide = static_cast<double>(x);
    double shrunk = std::isnan(wide) ? wide : 0;
    if (wide < -double{lambd}) shrunk = wide + bias;
    if (wide > lambd) shrunk = wide - bias;
    if constexpr (std::is_integral_v<T>) {
      constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
      constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
      if (!(shrunk > kLow)) return std::numeric_limits<T>::min();
      if (!(shrunk < kHigh)) return std::numeric_limits<T>::max();
    }
    return static_cast<T>(shrunk);
  }
};

// SwiGLU: A gates itself and scales B.
struct SwiGluParams {
  float alpha;
};
Result<SwiGluParams> ParseSwiGlu(const graph::NodeRef& node) {
  return SwiGluParams{node.attrs().Float("alpha")};
}
Status RunSwiGlu(const SwiGluParams& params, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &out = ctx.output(0);
  return DispatchDType(a.dtype, FloatTypes{}, [&]<typename T>() {
    ForEachBroadcast(
        out.shape,
        [&](int64_t i, int64_t ia, int64_t ib) {
          using C = Compute<T>;
          const C x = static_cast<C>(a.as<T>()[ia]);
          const C y = static_cast<C>(b.as<T>()[ib]);
          out.as<T>()[i] = static_cast<T>(x * Sigmoid(static_cast<C>(params.alpha) * x) * y);
        },
        a.shape, b.shape);
    return Status::Ok();
  });
}

constexpr KernelImpl kSwiGlu[] = {
    FunctionImpl<SwiGluParams, ParseSwiGlu, RunSwiGlu>("swiglu.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "Celu", .impls = kUnaryWith<CeluOp, FloatTypes>},
    {.op_type = "Elu", .impls = kUnaryWith<EluOp, FloatTypes>},
    {.op_type = "Gelu", .impls = kUnaryWith<GeluOp, FloatTypes>},
    {.op_type = "HardSigmoid", .impls = kUnaryWith<HardSigmoidOp, FloatTypes>},
    {.op_type = "HardSwish", .impls = kUnary<HardSwishOp, FloatTypes>},
    {.op_type = "LeakyRelu", .impls = kUnaryWith<LeakyReluOp, FloatTypes>},
    {.op_type = "Mish", .impls = kUnary<MishOp, FloatTypes>},
    {.op_type = "Relu", .impls = kUnary<ReluOp, ConcatTypes<SignedIntTypes, FloatTypes>>},
    {.op_type = "Selu", .impls = kUnaryWith<SeluOp, FloatTypes>},
    {.op_type = "Shrink", .impls = kUnaryWith<ShrinkOp, NumericTypes>},
    {.op_type = "Sigmoid", .impls = kUnary<SigmoidOp, FloatTypes>},
    {.op_type = "Softplus", .impls = kUnary<SoftplusOp, FloatTypes>},
    {.op_type = "Softsign", .impls = kUnary<SoftsignOp, FloatTypes>},
    {.op_type = "SwiGLU", .impls = kSwiGlu},
    {.op_type = "Swish", .impls = kUnaryWith<SwishOp, FloatTypes>},
    {.op_type = "ThresholdedRelu", .impls = kUnaryWith<ThresholdedReluOp, FloatTypes>},
};

}  // namespace

KernelTable ActivationKernels() { return kTable; }

}  // namespace waybill::kernel::reference
