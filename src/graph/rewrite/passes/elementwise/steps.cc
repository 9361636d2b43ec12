#include "graph/rewrite/passes/elementwise/steps.h"

#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace waybill::graph::rewrite {

namespace {

using Steps = std::optional<std::vector<ExprStep>>;

constexpr std::pair<std::string_view, ExprOp> kUnary[] = {{"Neg", ExprOp::kNeg},
                                                          {"Abs", ExprOp::kAbs},
                                                          {"Sqrt", ExprOp::kSqrt},
                                                          {"Exp", ExprOp::kExp},
                                                          {"Reciprocal", ExprOp::kReciprocal},
                                                          {"Log", ExprOp::kLog},
                                                          {"Erf", ExprOp::kErf},
                                                          {"Tanh", ExprOp::kTanh},
                                                          {"Sigmoid", ExprOp::kSigmoid},
                                                          {"Relu", ExprOp::kRelu},
                                                          {"HardSwish", ExprOp::kHardSwish},
                                                          {"Softplus", ExprOp::kSoftplus},
                                                          {"Floor", ExprOp::kFloor},
                                                          {"Ceil", ExprOp::kCeil},
                                                          {"Round", ExprOp::kRound},
                                                          {"Sin", ExprOp::kSin},
                                                          {"Cos", ExprOp::kCos}};

// Since version 7 these broadcast like numpy.
constexpr std::pair<std::string_view, ExprOp> kBinary[] = {
    {"Add", ExprOp::kAdd}, {"Sub", ExprOp::kSub}, {"Mul", ExprOp::kMul},
    {"Div", ExprOp::kDiv}, {"Pow", ExprOp::kPow}, {"PRelu", ExprOp::kLeakyRelu}};

// Any number of inputs; since version 8 these broadcast.
constexpr std::pair<std::string_view, ExprOp> kVariadic[] = {
    {"Sum", ExprOp::kAdd}, {"Min", ExprOp::kMin}, {"Max", ExprOp::kMax}};

// Broadcasting `constant` to another operand gives that operand's shape again.
bool Disappears(const Shape& constant, const SymShape& other) {
  if (constant.rank() == 0) return true;
  if (!other.has_rank() || other.rank() < constant.rank()) return false;
  for (size_t i = 0; i < constant.rank(); ++i) {
    const Dim& dim = other[other.rank() - constant.rank() + i];
    if (constant[i] != 1 && !(dim.known() && dim.value() == constant[i])) return false;
  }
  return true;
}

// Input i, or the number that it is.
ExprOperand Operand(const Editor& editor, const Node& node, size_t i) {
  const auto number = UniformFloat(editor, node.inputs[i]);
  if (!number) return ExprOperand::Input(i);
  const Shape& shape = editor.ConstantOf(node.inputs[i])->shape();
  for (size_t j = 0; j < node.inputs.size(); ++j) {
    const ValueId other = node.inputs[j];
    if (editor.ConstantOf(other) == nullptr &&
        Disappears(shape, editor.graph().value(other).type.shape)) {
      return ExprOperand::Number(*number);
    }
  }
  return ExprOperand::Input(i);
}

Steps Chain(const Editor& editor, const Node& node, ExprOp op) {
  if (node.inputs.size() < 2) return std::nullopt;
  std::vector<ExprStep> steps;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const ExprOperand left =
        i == 1 ? Operand(editor, node, 0) : ExprOperand::Temp(steps.size() - 1);
    steps.push_back({op, {left, Operand(editor, node, i), {}}});
  }
  return steps;
}

Steps Clip(const Editor& editor, const Node& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float bounds[2] = {-kInfinity, kInfinity};
  if (node.since_version < 11) {
    bounds[0] = node.attrs.Float("min", bounds[0]);
    bounds[1] = node.attrs.Float("max", bounds[1]);
  }
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.HasInput(i)) continue;
    const auto bound = UniformFloat(editor, node.inputs[i]);
    if (!bound) return std::nullopt;
    bounds[i - 1] = *bound;
  }
  return std::vector<ExprStep>{
      {ExprOp::kClip,
       {ExprOperand::Input(0), ExprOperand::Number(bounds[0]), ExprOperand::Number(bounds[1])}}};
}

Steps WithAttributes(const Node& node) {
  const auto step = [&](ExprOp op, float a, float b) {
    return std::vector<ExprStep>{
        {op, {ExprOperand::Input(0), ExprOperand::Number(a), ExprOperand::Number(b)}}};
  };
  const float alpha = node.attrs.Float("alpha");
  if (node.Is("LeakyRelu")) return step(ExprOp::kLeakyRelu, alpha, 0);
  if (node.Is("Elu")) return step(ExprOp::kElu, alpha, 0);
  if (node.Is("HardSigmoid")) {
    return step(ExprOp::kHardSigmoid, alpha, node.attrs.Float("beta"));
  }
  return std::nullopt;
}

template <size_t n>
std::optional<ExprOp> Lookup(const std::pair<std::string_view, ExprOp> (&list)[n],
                             const Node& node) {
  for (const auto& [name, op] : list) {
    if (node.op_type == name) return op;
  }
  return std::nullopt;
}

Steps StepsOf(const Editor& editor, const Node& node) {
  if (const auto op = Lookup(kUnary, node)) {
    return std::vector<ExprStep>{{*op, {ExprOperand::Input(0), {}, {}}}};
  }
  if (const auto op = Lookup(kBinary, node); op && node.since_version >= 7) {
    return Chain(editor, node, *op);
  }
  if (const auto op = Lookup(kVariadic, node); op && node.since_version >= 8) {
    return Chain(editor, node, *op);
  }
  if (node.Is("Clip")) return Clip(editor, node);
  return WithAttributes(node);
}

// What an earlier rewrite made.
Steps OfExpression(const Node& node) {
  const auto expression = Expression::Parse(node.attrs.String("expr"));
  if (!expression.ok()) return std::nullopt;
  return std::vector<ExprStep>(expression->steps().begin(), expression->steps().end());
}

}  // namespace

std::optional<float> UniformFloat(const Editor& editor, ValueId id) {
  const Constant* constant = editor.ConstantOf(id);
  if (constant == nullptr || constant->dtype() != DType::kF32) return std::nullopt;
  if (!constant->is_splat() && constant->shape().elems() != 1) return std::nullopt;
  float value;
  std::memcpy(&value, constant->tensor().view().data, sizeof value);
  return value;
}

Steps ElementwiseSteps(const Editor& editor, const Node& node) {
  const bool internal = node.Is("Elementwise", kInternalDomain);
  if (!internal && !node.domain.empty()) return std::nullopt;
  if (node.outputs.size() != 1 || !node.HasOutput(0)) return std::nullopt;
  const auto is_f32 = [&](ValueId id) {
    const ValueType& type = editor.graph().value(id).type;
    return type.is_tensor() && type.dtype == DType::kF32;
  };
  if (node.inputs.empty() || !node.HasInput(0) || !is_f32(node.outputs[0])) return std::nullopt;
  for (const ValueId id : node.inputs) {
    if (id != kNoValue && !is_f32(id)) return std::nullopt;
  }
  Steps steps = internal ? OfExpression(node) : StepsOf(editor, node);
  if (!steps) return std::nullopt;
  for (const ExprStep& step : *steps) {
    for (size_t i = 0; i < InfoOf(step.op).arity; ++i) {
      if (step.args[i].kind == ExprOperand::Kind::kInput) return steps;
    }
  }
  return std::nullopt;  // constants only: folding takes care of it
}

}  // namespace waybill::graph::rewrite
