#include "kernel/reference/internal/expression_eval.h"

#include <array>
#include <cmath>

#include "kernel/reference/support/nd.h"

namespace waybill::kernel::reference {

namespace {

using graph::ExprOp;

// Comparisons are written so that a NaN operand stays.
double Largest(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double Smallest(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double Clamp(double x, double low, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

double Sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

double RoundHalfToEven(double x) {
  const double down = std::floor(x), rest = x - down;
  if (rest != 0.5) return rest < 0.5 ? down : std::ceil(x);
  return std::fmod(down, 2.0) == 0 ? down : std::ceil(x);
}

double Step(ExprOp op, double a, double b, double c) {
  switch (op) {
    case ExprOp::kAdd:
      return a + b;
    case ExprOp::kSub:
      return a - b;
    case ExprOp::kMul:
      return a * b;
    case ExprOp::kDiv:
      return a / b;
    case ExprOp::kMin:
      return Smallest(a, b);
    case ExprOp::kMax:
      return Largest(a, b);
    case ExprOp::kPow:
      return std::pow(a, b);
    case ExprOp::kNeg:
      return -a;
    case ExprOp::kAbs:
      return std::fabs(a);
    case ExprOp::kSqrt:
      return std::sqrt(a);
    case ExprOp::kReciprocal:
      return 1 / a;
    case ExprOp::kExp:
      return std::exp(a);
    case ExprOp::kLog:
      return std::log(a);
    case ExprOp::kErf:
      return std::erf(a);
    case ExprOp::kTanh:
      return std::tanh(a);
    case ExprOp::kSigmoid:
      return Sigmoid(a);
    case ExprOp::kRelu:
      return a < 0 ? 0 : a;
    case ExprOp::kClip:
      return Clamp(a, b, c);
    case ExprOp::kLeakyRelu:
      return a < 0 ? b * a : a;
    case ExprOp::kElu:
      return a < 0 ? b * std::expm1(a) : a;
    case ExprOp::kHardSigmoid:
      return Clamp(b * a + c, 0, 1);
    case ExprOp::kHardSwish:
      return a * Clamp(a / 6 + 0.5, 0, 1);
    case ExprOp::kSoftplus:
      return Largest(a, 0) + std::log1p(std::exp(-std::fabs(a)));
    case ExprOp::kFloor:
      return std::floor(a);
    case ExprOp::kCeil:
      return std::ceil(a);
    case ExprOp::kRound:
      return RoundHalfToEven(a);
    case ExprOp::kSin:
      return std::sin(a);
    case ExprOp::kCos:
      return std::cos(a);
  }
  return a;
}

// Elements from one position to the next along each axis of `shape`; 0 where repeated.
Shape BroadcastStrides(const Shape& operand, const Shape& shape) {
  Shape strides = Shape::Filled(shape.rank(), 0);
  const size_t skip = shape.rank() - operand.rank();
  for (size_t i = 0; i < operand.rank(); ++i) {
    if (operand[i] != 1) strides[skip + i] = operand.Stride(i);
  }
  return strides;
}

}  // namespace

float EvalExpression(const graph::Expression& expression, const float* x) {
  std::array<float, graph::kMaxExprSteps> results;
  size_t done = 0;
  for (const graph::ExprStep& step : expression.steps()) {
    std::array<double, 3> args = {};
    for (size_t i = 0; i < graph::InfoOf(step.op).arity; ++i) {
      const graph::ExprOperand& arg = step.args[i];
      switch (arg.kind) {
        case graph::ExprOperand::Kind::kInput:
          args[i] = x[arg.index];
          break;
        case graph::ExprOperand::Kind::kTemp:
          args[i] = results[arg.index];
          break;
        case graph::ExprOperand::Kind::kNumber:
          args[i] = arg.number;
          break;
      }
    }
    results[done++] = static_cast<float>(Step(step.op, args[0], args[1], args[2]));
  }
  return results[done - 1];
}

Status CheckOperands(const graph::Expression& expression,
                     std::span<const TensorView* const> operands, const Shape& shape) {
  if (expression.num_inputs() > operands.size() || operands.size() > graph::kMaxExprInputs) {
    return Error(Code::kInvalidArgument, "expression '{}' has {} operands", expression.Print(),
                 operands.size());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->dtype != DType::kF32) {
      return Error(Code::kInvalidArgument, "operand {} is {}, not float", i,
                   DTypeName(operands[i]->dtype));
    }
    const auto together = BroadcastShapes(operands[i]->shape, shape);
    if (!together || *together != shape) {
      return Error(Code::kInvalidArgument, "operand {} of shape {} does not broadcast to {}", i,
                   operands[i]->shape, shape);
    }
  }
  return Status::Ok();
}

void ApplyExpression(const graph::Expression& expression,
                     std::span<const TensorView* const> operands, const TensorView& y) {
  if (y.elems() == 0) return;
  std::array<Shape, graph::kMaxExprInputs> strides;
  for (size_t i = 0; i < operands.size(); ++i) {
    strides[i] = BroadcastStrides(operands[i]->shape, y.shape);
  }
  std::array<float, graph::kMaxExprInputs> x = {};
  float* out = y.as<float>();
  NdCounter at(y.shape);
  do {
    for (size_t i = 0; i < operands.size(); ++i) {
      x[i] = operands[i]->as<const float>()[at.Offset(strides[i])];
    }
    *out++ = EvalExpression(expression, x.data());
  } while (at.Next());
}

}  // namespace waybill::kernel::reference
