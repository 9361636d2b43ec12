#include "cpu/tile/epilogue.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace waybill::cpu {
namespace {

using graph::ExprOp;
using graph::ExprOperand;

struct Clamp {
  float low, high;
};

// The limits of an expression that is nothing but a clamp of operand 0.
std::optional<Clamp> ClampOf(const graph::Expression& expression) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (expression.steps().size() != 1) return std::nullopt;
  const graph::ExprStep& step = expression.steps()[0];
  if (step.args[0] != ExprOperand::Input(0)) return std::nullopt;
  if (step.op == ExprOp::kRelu) return Clamp{0, kInf};
  const auto number = [&](size_t k) -> std::optional<float> {
    const ExprOperand& arg = step.args[k];
    // A limit that is NaN does different things to different operations.
    if (arg.kind != ExprOperand::Kind::kNumber || arg.number != arg.number) return std::nullopt;
    return arg.number;
  };
  const auto first = number(1);
  if (!first) return std::nullopt;
  if (step.op == ExprOp::kMax) return Clamp{*first, kInf};
  if (step.op == ExprOp::kMin) return Clamp{-kInf, *first};
  const auto second = number(2);
  if (step.op == ExprOp::kClip && second) return Clamp{*first, *second};
  return std::nullopt;
}

}  // namespace

Result<Epilogue> Epilogue::Make(const graph::Expression& expression, SimdTarget target) {
  Epilogue out;
  WB_ASSIGN_OR_RETURN(out.program_, TileProgram::Make(expression, target));
  out.empty_ = false;
  const auto clamp = ClampOf(expression);
  out.is_clamp_ = clamp.has_value();
  if (clamp) {
    out.low_ = clamp->low;
    out.high_ = clamp->high;
  }
  return out;
}

void Epilogue::Run(float* y, size_t ldy, size_t rows, size_t columns,
                   std::span<const EpilogueOperand> operands) const {
  if (empty()) return;
  std::array<TileOperand, graph::kMaxExprInputs> inputs;
  inputs[0] = {y, ldy, 1};
  std::copy_n(operands.begin(), num_operands(), inputs.begin() + 1);
  program_.Run(y, ldy, rows, columns, std::span(inputs).first(program_.num_inputs()));
}

bool Epilogue::AsClamp(float* low, float* high) const {
  if (!is_clamp_) return false;
  *low = low_;
  *high = high_;
  return true;
}

}  // namespace waybill::cpu
