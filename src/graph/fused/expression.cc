#include "graph/fused/expression.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/status/check.h"

namespace waybill::graph {

namespace {

constexpr std::array<ExprOpInfo, kNumExprOps> kOps = {{
    {"Add", 2},         {"Sub", 2},       {"Mul", 2},      {"Div", 2},       {"Min", 2},
    {"Max", 2},         {"Pow", 2},       {"Neg", 1},      {"Abs", 1},       {"Sqrt", 1},
    {"Reciprocal", 1},  {"Exp", 1},       {"Log", 1},      {"Erf", 1},       {"Tanh", 1},
    {"Sigmoid", 1},     {"Relu", 1},      {"Clip", 3},     {"LeakyRelu", 2}, {"Elu", 2},
    {"HardSigmoid", 3}, {"HardSwish", 1}, {"Softplus", 1}, {"Floor", 1},     {"Ceil", 1},
    {"Round", 1},       {"Sin", 1},       {"Cos", 1},
}};

std::optional<ExprOp> OpNamed(std::string_view name) {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].name == name) return static_cast<ExprOp>(i);
  }
  return std::nullopt;
}

// Takes the text before `stop` away from the front; nothing when there is no `stop`.
std::optional<std::string_view> TakeUntil(std::string_view& text, char stop) {
  const size_t at = text.find(stop);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view front = text.substr(0, at);
  text.remove_prefix(at + 1);
  return front;
}

std::optional<ExprOperand> ReadOperand(std::string_view text, size_t steps) {
  if (text.empty()) return std::nullopt;
  const char* end = text.data() + text.size();
  if (text[0] == 'x' || text[0] == 't') {
    uint32_t index = 0;
    const auto [last, error] = std::from_chars(text.data() + 1, end, index);
    if (error != std::errc() || last != end) return std::nullopt;
    if (index >= (text[0] == 'x' ? kMaxExprInputs : steps)) return std::nullopt;
    return text[0] == 'x' ? ExprOperand::Input(index) : ExprOperand::Temp(index);
  }
  float number = 0;
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return ExprOperand::Number(number);
}

std::optional<ExprStep> ReadStep(std::string_view text, size_t steps) {
  const auto name = TakeUntil(text, '(');
  if (!name || text.empty() || text.back() != ')') return std::nullopt;
  const auto op = OpNamed(*name);
  if (!op) return std::nullopt;
  text.remove_suffix(1);
  ExprStep step{*op, {}};
  const size_t arity = InfoOf(*op).arity;
  for (size_t i = 0; i < arity; ++i) {
    const auto part = i + 1 < arity ? TakeUntil(text, ',') : std::optional(text);
    const auto operand = part ? ReadOperand(*part, steps) : std::nullopt;
    if (!operand) return std::nullopt;
    step.args[i] = *operand;
  }
  return step;
}

void PrintOperand(std::string& out, const ExprOperand& operand) {
  switch (operand.kind) {
    case ExprOperand::Kind::kInput:
      out += Format("x{}", operand.index);
      return;
    case ExprOperand::Kind::kTemp:
      out += Format("t{}", operand.index);
      return;
    case ExprOperand::Kind::kNumber: {
      std::array<char, 32> digits;
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), operand.number);
      out.append(digits.data(), end.ptr);
      return;
    }
  }
}

}  // namespace

const ExprOpInfo& InfoOf(ExprOp op) { return kOps[static_cast<size_t>(op)]; }

Result<Expression> Expression::Parse(std::string_view text) {
  Expression out;
  for (std::string_view rest = text;;) {
    const size_t at = std::min(rest.find(';'), rest.size());
    const auto step = ReadStep(rest.substr(0, at), out.steps_.size());
    if (!step || out.steps_.size() == kMaxExprSteps) {
      return Error(Code::kInvalidArgument, "step {} of expression '{}' is not one: '{}'",
                   out.steps_.size(), text, rest.substr(0, at));
    }
    out.Append(*step);
    if (at == rest.size()) return out;
    rest.remove_prefix(at + 1);
  }
}

std::string Expression::Print() const {
  std::string out;
  for (const ExprStep& step : steps_) {
    if (!out.empty()) out += ';';
    const ExprOpInfo& info = InfoOf(step.op);
    out += info.name;
    for (size_t i = 0; i < info.arity; ++i) {
      out += i == 0 ? '(' : ',';
      PrintOperand(out, step.args[i]);
    }
    out += ')';
  }
  return out;
}

size_t Expression::Append(ExprStep step) {
  for (size_t i = 0; i < InfoOf(step.op).arity; ++i) {
    const ExprOperand& arg = step.args[i];
    WB_DCHECK(arg.kind != ExprOperand::Kind::kTemp || arg.index < steps_.size());
    if (arg.kind == ExprOperand::Kind::kInput) {
      num_inputs_ = std::max<size_t>(num_inputs_, arg.index + 1);
    }
  }
  steps_.push_back(step);
  return steps_.size() - 1;
}

}  // namespace waybill::graph
