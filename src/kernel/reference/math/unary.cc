// Abs, Neg, Exp, Sin and other elementwise functions without attributes.
#include "kernel/reference/math/unary.h"

#include <cmath>

#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

// `name` applies `expression` of x in the compute type.
#define WB_UNARY_OP(Op, name, expression)           \
  struct Op {                                       \
    static constexpr std::string_view kName = name; \
    template <typename T>                           \
    static T Apply(T x) {                           \
      return static_cast<T>(expression);            \
    }                                               \
  };

WB_UNARY_OP(ReciprocalOp, "reciprocal.reference", T(1) / x)
WB_UNARY_OP(SqrtOp, "sqrt.reference", std::sqrt(x))
WB_UNARY_OP(ExpOp, "exp.reference", std::exp(x))
WB_UNARY_OP(LogOp, "log.reference", std::log(x))
WB_UNARY_OP(CeilOp, "ceil.reference", std::ceil(x))
WB_UNARY_OP(FloorOp, "floor.reference", std::floor(x))
WB_UNARY_OP(RoundOp, "round.reference", std::nearbyint(x))  // ties to even
WB_UNARY_OP(ErfOp, "erf.reference", std::erf(x))
WB_UNARY_OP(SinOp, "sin.reference", std::sin(x))
WB_UNARY_OP(CosOp, "cos.reference", std::cos(x))
WB_UNARY_OP(TanOp, "tan.reference", std::tan(x))
WB_UNARY_OP(AsinOp, "asin.reference", std::asin(x))
WB_UNARY_OP(AcosOp, "acos.reference", std::acos(x))
WB_UNARY_OP(AtanOp, "atan.reference", std::atan(x))
WB_UNARY_OP(SinhOp, "sinh.reference", std::sinh(x))
WB_UNARY_OP(CoshOp, "cosh.reference", std::cosh(x))
WB_UNARY_OP(TanhOp, "tanh.reference", std::tanh(x))
WB_UNARY_OP(AsinhOp, "asinh.reference", std::asinh(x))
WB_UNARY_OP(AcoshOp, "acosh.reference", std::acosh(x))
WB_UNARY_OP(AtanhOp, "atanh.reference", std::atanh(x))
WB_UNARY_OP(NegOp, "neg.reference", std::is_integral_v<T> ? WrapSub(T(0), x) : T(-x))
WB_UNARY_OP(NotOp, "not.reference", !x)
WB_UNARY_OP(BitwiseNotOp, "bitwise_not.reference", ~x)

#undef WB_UNARY_OP

// The most negative integer has no positive counterpart and stays.
struct AbsOp {
  static constexpr std::string_view kName = "abs.reference";
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::abs(x);
    if constexpr (std::is_signed_v<T>) return x < 0 ? WrapSub(T(0), x) : x;
    return x;
  }
};

struct SignOp {
  static constexpr std::string_view kName = "sign.reference";
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
    }
    if constexpr (std::is_signed_v<T>) {
      if (x < 0) return T(-1);
    }
    return x > 0 ? T(1) : T(0);
  }
};

using SmallFloatTypes = ConcatTypes<FloatTypes, Float8Types>;

Status RunIsNan(RunContext& ctx) {
  return DispatchDType(ctx.input(0).dtype, SmallFloatTypes{}, [&]<typename T>() {
    MapElements<T, bool>(ctx.input(0), ctx.output(0), [](auto x) { return std::isnan(x); });
    return Status::Ok();
  });
}

struct IsInfParams {
  bool negative, positive;
};
Result<IsInfParams> ParseIsInf(const graph::NodeRef& node) {
  return IsInfParams{node.attrs().Int("detect_negative") != 0,
                     node.attrs().Int("detect_positive") != 0};
}
Status RunIsInf(const IsInfParams& params, RunContext& ctx) {
  return DispatchDType(ctx.input(0).dtype, SmallFloatTypes{}, [&]<typename T>() {
    MapElements<T, bool>(ctx.input(0), ctx.output(0), [&](auto x) {
      return std::isinf(x) && (x < 0 ? params.negative : params.positive);
    });
    return Status::Ok();
  });
}

constexpr KernelImpl kIsNan[] = {FunctionImpl<RunIsNan>("is_nan.reference")};
constexpr KernelImpl kIsInf[] = {
    FunctionImpl<IsInfParams, ParseIsInf, RunIsInf>("is_inf.reference")};

using SignedTypes = ConcatTypes<SignedIntTypes, FloatTypes>;

constexpr OpKernels kTable[] = {
    {.op_type = "Abs", .impls = kUnary<AbsOp, NumericTypes>},
    {.op_type = "Acos", .impls = kUnary<AcosOp, FloatTypes>},
    {.op_type = "Acosh", .impls = kUnary<AcoshOp, FloatTypes>},
    {.op_type = "Asin", .impls = kUnary<AsinOp, FloatTypes>},
    {.op_type = "Asinh", .impls = kUnary<AsinhOp, FloatTypes>},
    {.op_type = "Atan", .impls = kUnary<AtanOp, FloatTypes>},
    {.op_type = "Atanh", .impls = kUnary<AtanhOp, FloatTypes>},
    {.op_type = "BitwiseNot", .impls = kUnary<BitwiseNotOp, IntTypes>},
    {.op_type = "Ceil", .impls = kUnary<CeilOp, FloatTypes>},
    {.op_type = "Cos", .impls = kUnary<CosOp, FloatTypes>},
    {.op_type = "Cosh", .impls = kUnary<CoshOp, FloatTypes>},
    {.op_type = "Erf", .impls = kUnary<ErfOp, NumericTypes>},
    {.op_type = "Exp", .impls = kUnary<ExpOp, FloatTypes>},
    {.op_type = "Floor", .impls = kUnary<FloorOp, FloatTypes>},
    {.op_type = "IsInf", .impls = kIsInf},
    {.op_type = "IsNaN", .impls = kIsNan},
    {.op_type = "Log", .impls = kUnary<LogOp, FloatTypes>},
    {.op_type = "Neg", .impls = kUnary<NegOp, SignedTypes>},
    {.op_type = "Not", .impls = kUnary<NotOp, TypeList<bool>>},
    {.op_type = "Reciprocal", .impls = kUnary<ReciprocalOp, FloatTypes>},
    {.op_type = "Round", .impls = kUnary<RoundOp, FloatTypes>},
    {.op_type = "Sign", .impls = kUnary<SignOp, NumericTypes>},
    {.op_type = "Sin", .impls = kUnary<SinOp, FloatTypes>},
    {.op_type = "Sinh", .impls = kUnary<SinhOp, FloatTypes>},
    {.op_type = "Sqrt", .impls = kUnary<SqrtOp, FloatTypes>},
    {.op_type = "Tan", .impls = kUnary<TanOp, FloatTypes>},
    {.op_type = "Tanh", .impls = kUnary<TanhOp, FloatTypes>},
};

}  // namespace

KernelTable UnaryKernels() { return kTable; }

}  // namespace waybill::kernel::reference
