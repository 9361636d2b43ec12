#include "cpu/tile/program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace waybill::cpu {

using graph::ExprOp;
using graph::ExprOperand;
using Kind = ExprOperand::Kind;

// From the steps of an expression to instructions: combines steps, drops unused ones and gives
// temporaries their slots.
class TileCompiler {
 public:
  TileCompiler(const graph::Expression& expression, SimdTarget target) : target_(target) {
    for (const graph::ExprStep& step : expression.steps()) {
      steps_.push_back({ToTileOp(step.op), step.args, 0});
    }
    program_.num_inputs_ = expression.num_inputs();
  }

  TileProgram Compile() {
    CountUses();
    for (size_t i = 0; i < steps_.size(); ++i) Combine(steps_[i]);
    CountUses();
    AssignTemps();
    Emit();
    return std::move(program_);
  }

 private:
  struct Step {
    TileOp op;
    std::array<ExprOperand, 3> args;
    size_t uses;
    size_t temp = 0;
  };

  std::span<const ExprOperand> ArgsOf(const Step& step) const {
    return std::span(step.args).first(ArityOf(step.op));
  }

  // Uses by steps that are themselves used.
  void CountUses() {
    for (Step& step : steps_) step.uses = 0;
    steps_.back().uses = 1;
    for (size_t i = steps_.size(); i-- > 0;) {
      if (steps_[i].uses == 0) continue;
      for (const ExprOperand& arg : ArgsOf(steps_[i])) {
        if (arg.kind == Kind::kTemp) ++steps_[arg.index].uses;
      }
    }
  }

  // The step behind `arg` when it is `op` and nobody else reads it.
  const Step* OnlyReadHere(const ExprOperand& arg, TileOp op) const {
    if (arg.kind != Kind::kTemp) return nullptr;
    const Step& step = steps_[arg.index];
    return step.op == op && step.uses == 1 ? &step : nullptr;
  }
  const Step* OnlyReadHere(const ExprOperand& arg, ExprOp op) const {
    return OnlyReadHere(arg, ToTileOp(op));
  }

  void CombineRelu(Step& relu) {
    if (const Step* add = OnlyReadHere(relu.args[0], ExprOp::kAdd)) {
      relu.op = TileOp::kAddRelu;
      relu.args = add->args;
    } else if (const Step* both = OnlyReadHere(relu.args[0], TileOp::kMulAdd)) {
      relu.op = TileOp::kMulAddRelu;
      relu.args = both->args;
    }
  }

  void Combine(Step& step) {
    if (step.op == ToTileOp(ExprOp::kRelu)) return CombineRelu(step);
    const bool adds = step.op == ToTileOp(ExprOp::kAdd);
    if (!adds && step.op != ToTileOp(ExprOp::kMul)) return;
    for (size_t k = 0; k < 2; ++k) {
      const ExprOperand other = step.args[1 - k];
      const Step* sigmoid = adds ? nullptr : OnlyReadHere(step.args[k], ExprOp::kSigmoid);
      if (sigmoid != nullptr && sigmoid->args[0] == other) {
        step.op = TileOp::kSilu;
        step.args[0] = other;
        return;
      }
      const Step* inner = OnlyReadHere(step.args[k], adds ? ExprOp::kMul : ExprOp::kAdd);
      if (inner == nullptr) continue;
      step.op = adds ? TileOp::kMulAdd : TileOp::kAddMul;
      step.args = {inner->args[0], inner->args[1], other};
      return;
    }
  }

  // A temporary's slot is free again once its last reader has run; that reader may write into it.
  void AssignTemps() {
    std::vector<size_t> last_use(steps_.size(), 0);
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].uses == 0) continue;
      for (const ExprOperand& arg : ArgsOf(steps_[i])) {
        if (arg.kind == Kind::kTemp) last_use[arg.index] = i;
      }
    }
    std::vector<size_t> free;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].uses == 0) continue;
      for (size_t j = 0; j < i; ++j) {
        if (steps_[j].uses != 0 && last_use[j] == i) free.push_back(steps_[j].temp);
      }
      if (i + 1 == steps_.size()) break;
      if (free.empty()) free.push_back(program_.num_temps_++);
      steps_[i].temp = free.back();
      free.pop_back();
    }
  }

  size_t NumberSlot(float number) {
    std::vector<float>& numbers = program_.numbers_;
    const auto same = [&](float f) {
      return std::bit_cast<uint32_t>(f) == std::bit_cast<uint32_t>(number);
    };
    const auto at = std::find_if(numbers.begin(), numbers.end(), same);
    const auto index = static_cast<size_t>(at - numbers.begin());
    if (at == numbers.end()) numbers.push_back(number);
    return program_.num_inputs_ + program_.num_temps_ + index;
  }

  size_t SlotOf(const ExprOperand& arg) {
    switch (arg.kind) {
      case Kind::kInput:
        return arg.index;
      case Kind::kTemp:
        return program_.num_inputs_ + steps_[arg.index].temp;
      case Kind::kNumber:
        return NumberSlot(arg.number);
    }
    return 0;
  }

  static float CostOf(TileOp op) {
    switch (op) {
      case TileOp::kSilu:
        return 0.5f;
      case TileOp::kMulAdd:
      case TileOp::kMulAddRelu:
      case TileOp::kAddMul:
      case TileOp::kAddRelu:
        return 0.06f;
      default:
        break;
    }
    switch (static_cast<ExprOp>(op)) {
      case ExprOp::kPow:
        return 3;
      case ExprOp::kExp:
      case ExprOp::kTanh:
      case ExprOp::kSigmoid:
      case ExprOp::kElu:
        return 0.5f;
      case ExprOp::kLog:
      case ExprOp::kErf:
      case ExprOp::kSin:
      case ExprOp::kCos:
      case ExprOp::kSoftplus:
        return 1;
      case ExprOp::kSqrt:
      case ExprOp::kDiv:
      case ExprOp::kReciprocal:
        return 0.15f;
      default:
        return 0.05f;
    }
  }

  void Emit() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.uses == 0) continue;
      TileProgram::Instruction instruction = {&TileFunctionsOf(target_, step.op), {}, 0, 0};
      instruction.arity = static_cast<uint8_t>(ArityOf(step.op));
      for (size_t k = 0; k < instruction.arity; ++k) {
        instruction.args[k] = static_cast<uint8_t>(SlotOf(step.args[k]));
      }
      if (i + 1 != steps_.size()) {
        instruction.result = static_cast<uint8_t>(program_.num_inputs_ + step.temp);
      }
      program_.code_.push_back(instruction);
      program_.cost_ns_ += CostOf(step.op);
    }
    program_.code_.back().result = static_cast<uint8_t>(program_.result_slot());
    program_.cost_ns_ += 0.05f * static_cast<float>(1 + program_.num_inputs_);
  }

  SimdTarget target_;
  std::vector<Step> steps_;
  TileProgram program_;
};

Result<TileProgram> TileProgram::Make(const graph::Expression& expression, SimdTarget target) {
  if (expression.steps().empty()) {
    return Error(Code::kInvalidArgument, "an expression without steps");
  }
  return TileCompiler(expression, target).Compile();
}

}  // namespace waybill::cpu
