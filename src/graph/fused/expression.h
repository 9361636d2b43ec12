// Expression: a chain of elementwise f32 operations as one attribute of a fused operator, such as
// "Add(x0,3);Clip(t0,0,6);Mul(x0,t1);Div(t2,6)": x0 is an operand, t1 the result of step 1, and the
// last step is the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"

namespace waybill::graph {

// Every operation is the ONNX operator of that name on f32, with ONNX's treatment of NaN (Relu,
// Clip, Min and Max keep a NaN operand). a, b, c are the arguments.
enum class ExprOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,
  kMax,
  kPow,
  kNeg,
  kAbs,
  kSqrt,
  kReciprocal,
  kExp,
  kLog,
  kErf,
  kTanh,
  kSigmoid,
  kRelu,
  kClip,         // min(max(a, b), c)
  kLeakyRelu,    // a < 0 ? b * a : a (PRelu too)
  kElu,          // a < 0 ? b * (exp(a) - 1) : a
  kHardSigmoid,  // max(0, min(1, b * a + c))
  kHardSwish,    // a * max(0, min(1, a / 6 + 0.5))
  kSoftplus,     // log(1 + exp(a))
  kFloor,
  kCeil,
  kRound,  // half to even
  kSin,
  kCos,
};
inline constexpr size_t kNumExprOps = static_cast<size_t>(ExprOp::kCos) + 1;

struct ExprOpInfo {
  std::string_view name;  // "Add"
  size_t arity;           // 1, 2 or 3
};
const ExprOpInfo& InfoOf(ExprOp op);

struct ExprOperand {
  enum class Kind : uint8_t { kInput, kTemp, kNumber };
  Kind kind = Kind::kNumber;
  uint32_t index = 0;  // of the operand or the step
  float number = 0;

  static ExprOperand Input(size_t i) { return {Kind::kInput, static_cast<uint32_t>(i), 0}; }
  static ExprOperand Temp(size_t i) { return {Kind::kTemp, static_cast<uint32_t>(i), 0}; }
  static ExprOperand Number(float f) { return {Kind::kNumber, 0, f}; }
  bool operator==(const ExprOperand&) const = default;
};

struct ExprStep {
  ExprOp op = ExprOp::kAdd;
  std::array<ExprOperand, 3> args;  // the first arity of them
};

// At least one step; every step reads operands, earlier steps and numbers only.
class Expression {
 public:
  // Errors: kInvalidArgument naming the place, for text that Print would not make.
  static Result<Expression> Parse(std::string_view text);
  std::string Print() const;

  std::span<const ExprStep> steps() const { return steps_; }
  // One more than the highest operand that any step reads.
  size_t num_inputs() const { return num_inputs_; }

  // Returns the new step's number.
  size_t Append(ExprStep step);

 private:
  std::vector<ExprStep> steps_;
  size_t num_inputs_ = 0;
};

// Expressions longer than this are not made: each step holds an L1 tile while it runs.
inline constexpr size_t kMaxExprSteps = 32;
inline constexpr size_t kMaxExprInputs = 16;

}  // namespace waybill::graph
