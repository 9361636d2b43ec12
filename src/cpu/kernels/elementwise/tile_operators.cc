// Standard operators as expressions.
#include <limits>
#include <optional>
#include <string>

#include "cpu/kernels/elementwise/tile_kernel.h"

namespace waybill::cpu {
namespace {

using graph::Expression;
using graph::ExprOp;
using graph::ExprOperand;

constexpr float kInf = std::numeric_limits<float>::infinity();

ExprOperand In(size_t i) { return ExprOperand::Input(i); }
ExprOperand Num(float f) { return ExprOperand::Number(f); }

// Appends a step and names its result.
ExprOperand Then(Expression& e, ExprOp op, ExprOperand a, ExprOperand b = {}, ExprOperand c = {}) {
  return ExprOperand::Temp(e.Append({op, {a, b, c}}));
}

std::optional<ExprOp> OpNamed(std::string_view name) {
  for (size_t i = 0; i < graph::kNumExprOps; ++i) {
    const auto op = static_cast<ExprOp>(i);
    if (graph::InfoOf(op).name == name) return op;
  }
  return std::nullopt;
}

// The limits are attributes up to version 6 and optional inputs from 11 on.
TileOperator Clip(const graph::NodeRef& node) {
  TileOperator out;
  ExprOperand limits[2] = {Num(-kInf), Num(kInf)};
  out.inputs = {0};
  out.first_scalar = 1;
  const char* const names[2] = {"min", "max"};
  for (size_t k = 0; k < 2; ++k) {
    if (const float* value = node.attrs().Get<float>(names[k])) limits[k] = Num(*value);
    if (!node.has_input(k + 1)) continue;
    limits[k] = In(out.inputs.size());
    out.inputs.push_back(k + 1);
  }
  Then(out.expression, ExprOp::kClip, In(0), limits[0], limits[1]);
  return out;
}

// Max, Min, Sum, Mean of all inputs.
TileOperator Variadic(const graph::NodeRef& node, ExprOp op, bool mean) {
  TileOperator out;
  const size_t count = node.num_inputs();
  for (size_t i = 0; i < count; ++i) out.inputs.push_back(i);
  ExprOperand last = In(0);
  for (size_t i = 1; i < count; ++i) last = Then(out.expression, op, last, In(i));
  if (mean) {
    Then(out.expression, ExprOp::kDiv, last, Num(static_cast<float>(count)));
  } else if (count == 1) {
    Then(out.expression, ExprOp::kClip, last, Num(-kInf), Num(kInf));  // a copy
  }
  return out;
}

// x * (1 + erf(x / sqrt(2))) / 2
void AppendGelu(Expression& e, ExprOperand x) {
  const ExprOperand erf = Then(e, ExprOp::kErf, Then(e, ExprOp::kMul, x, Num(0.70710678f)));
  const ExprOperand twice = Then(e, ExprOp::kMul, Then(e, ExprOp::kAdd, erf, Num(1)), x);
  Then(e, ExprOp::kMul, twice, Num(0.5f));
}

// x * (1 + tanh(y)) / 2 with y = sqrt(2 / pi) * (x + 0.044715 * x^3), as x * sigmoid(2 * y).
void AppendTanhGelu(Expression& e, ExprOperand x) {
  const ExprOperand square = Then(e, ExprOp::kMul, x, x);
  const ExprOperand cubic = Then(e, ExprOp::kMul, square, Num(0.0713548162726f));
  const ExprOperand factor = Then(e, ExprOp::kAdd, cubic, Num(1.59576912161f));
  const ExprOperand twice_y = Then(e, ExprOp::kMul, factor, x);
  Then(e, ExprOp::kMul, x, Then(e, ExprOp::kSigmoid, twice_y));
}

void AppendSwish(Expression& e, ExprOperand x, float alpha) {
  const ExprOperand scaled = alpha == 1 ? x : Then(e, ExprOp::kMul, x, Num(alpha));
  Then(e, ExprOp::kMul, x, Then(e, ExprOp::kSigmoid, scaled));
}

// The operators of com.microsoft may have a bias as input 1.
Result<TileOperator> MicrosoftGelu(const graph::NodeRef& node, const std::string& op) {
  TileOperator out;
  out.inputs = {0};
  ExprOperand x = In(0);
  if (node.has_input(1)) {
    out.inputs.push_back(1);
    x = Then(out.expression, ExprOp::kAdd, x, In(1));
  }
  if (op == "FastGelu") {
    AppendTanhGelu(out.expression, x);
  } else if (op == "QuickGelu") {
    AppendSwish(out.expression, x, node.attrs().Float("alpha", 1.702f));
  } else {
    AppendGelu(out.expression, x);
  }
  return out;
}

// Operators of one input with attributes or several steps; nothing for others.
Result<bool> AppendActivation(const graph::NodeRef& node, Expression& e) {
  const std::string& op = node.node().op_type;
  const auto attribute = [&](const char* name) { return Num(node.attrs().Float(name)); };
  if (op == "LeakyRelu") {
    Then(e, ExprOp::kLeakyRelu, In(0), attribute("alpha"));
  } else if (op == "Elu") {
    Then(e, ExprOp::kElu, In(0), attribute("alpha"));
  } else if (op == "Selu") {
    Then(e, ExprOp::kMul, Then(e, ExprOp::kElu, In(0), attribute("alpha")), attribute("gamma"));
  } else if (op == "HardSigmoid") {
    Then(e, ExprOp::kHardSigmoid, In(0), attribute("alpha"), attribute("beta"));
  } else if (op == "Softsign") {
    const ExprOperand abs = Then(e, ExprOp::kAbs, In(0));
    Then(e, ExprOp::kDiv, In(0), Then(e, ExprOp::kAdd, abs, Num(1)));
  } else if (op == "Mish") {
    const ExprOperand softplus = Then(e, ExprOp::kSoftplus, In(0));
    Then(e, ExprOp::kMul, In(0), Then(e, ExprOp::kTanh, softplus));
  } else if (op == "Swish") {
    AppendSwish(e, In(0), node.attrs().Float("alpha", 1));
  } else if (op == "Gelu") {
    const std::string form = node.attrs().String("approximate", "none");
    if (form != "none" && form != "tanh") {
      return Error(Code::kInvalidArgument, "approximate is \"{}\", not \"none\" or \"tanh\"", form);
    }
    if (form == "tanh") {
      AppendTanhGelu(e, In(0));
    } else {
      AppendGelu(e, In(0));
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<TileOperator> MakeTileOperator(const graph::NodeRef& node) {
  const std::string& op = node.node().op_type;
  TileOperator out;
  if (node.node().domain == "com.microsoft") return MicrosoftGelu(node, op);
  if (node.node().domain == graph::kInternalDomain) {
    WB_ASSIGN_OR_RETURN(out.expression, Expression::Parse(node.attrs().String("expr")));
    for (size_t i = 0; i < node.num_inputs(); ++i) out.inputs.push_back(i);
    return out;
  }
  if (op == "Clip") return Clip(node);
  if (op == "Max" || op == "Min") return Variadic(node, *OpNamed(op), false);
  if (op == "Sum" || op == "Mean") return Variadic(node, ExprOp::kAdd, op == "Mean");
  out.inputs = {0};
  WB_ASSIGN_OR_RETURN(const bool done, AppendActivation(node, out.expression));
  if (done) return out;
  const auto named = op == "PRelu" ? ExprOp::kLeakyRelu : OpNamed(op);
  if (!named || graph::InfoOf(*named).arity > 2) {
    return Error(Code::kNotImplemented, "'{}' is no elementwise operator", op);
  }
  if (graph::InfoOf(*named).arity == 2) out.inputs.push_back(1);
  Then(out.expression, *named, In(0), In(1));
  return out;
}

}  // namespace waybill::cpu
