#include "kernel/reference/internal/expression_eval.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace waybill::kernel::reference {
namespace {

float Eval(const char* text, std::vector<float> x) {
  const auto expression = graph::Expression::Parse(text);
  EXPECT_TRUE(expression.ok()) << text;
  return EvalExpression(*expression, x.data());
}

TEST(ExpressionEval, EveryOperation) {
  EXPECT_EQ(Eval("Add(x0,x1)", {1, 2}), 3);
  EXPECT_EQ(Eval("Sub(x0,2)", {1}), -1);
  EXPECT_EQ(Eval("Mul(3,x0)", {2}), 6);
  EXPECT_EQ(Eval("Div(x0,x1)", {1, 4}), 0.25f);
  EXPECT_EQ(Eval("Min(x0,x1)", {1, -4}), -4);
  EXPECT_EQ(Eval("Max(x0,x1)", {1, -4}), 1);
  EXPECT_EQ(Eval("Pow(x0,3)", {2}), 8);
  EXPECT_EQ(Eval("Neg(x0)", {2}), -2);
  EXPECT_EQ(Eval("Abs(x0)", {-2}), 2);
  EXPECT_EQ(Eval("Sqrt(x0)", {9}), 3);
  EXPECT_EQ(Eval("Reciprocal(x0)", {8}), 0.125f);
  EXPECT_FLOAT_EQ(Eval("Exp(x0)", {1}), 2.7182818f);
  EXPECT_FLOAT_EQ(Eval("Log(x0)", {10}), 2.3025851f);
  EXPECT_FLOAT_EQ(Eval("Erf(x0)", {0.5f}), 0.5204999f);
  EXPECT_FLOAT_EQ(Eval("Tanh(x0)", {0.5f}), 0.46211716f);
  EXPECT_FLOAT_EQ(Eval("Sigmoid(x0)", {-1}), 0.26894143f);
  EXPECT_EQ(Eval("Relu(x0)", {-1}), 0);
  EXPECT_EQ(Eval("Clip(x0,0,6)", {7}), 6);
  EXPECT_EQ(Eval("LeakyRelu(x0,0.5)", {-3}), -1.5f);
  EXPECT_FLOAT_EQ(Eval("Elu(x0,2)", {-1}), -1.2642411f);
  EXPECT_EQ(Eval("HardSigmoid(x0,0.25,0.5)", {1}), 0.75f);
  EXPECT_EQ(Eval("HardSwish(x0)", {3}), 3);
  EXPECT_FLOAT_EQ(Eval("Softplus(x0)", {1}), 1.3132616f);
  EXPECT_EQ(Eval("Floor(x0)", {-1.5f}), -2);
  EXPECT_EQ(Eval("Ceil(x0)", {-1.5f}), -1);
  EXPECT_EQ(Eval("Round(x0)", {2.5f}), 2);
  EXPECT_EQ(Eval("Round(x0)", {-3.5f}), -4);
  EXPECT_FLOAT_EQ(Eval("Sin(x0)", {1}), 0.84147098f);
  EXPECT_FLOAT_EQ(Eval("Cos(x0)", {1}), 0.54030231f);
  EXPECT_EQ(Eval("Add(x0,3);Clip(t0,0,6);Mul(x0,t1);Div(t2,6)", {1}), 4.0f / 6);
}

TEST(ExpressionEval, NanStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* text : {"Relu(x0)", "Clip(x0,0,6)", "LeakyRelu(x0,0.1)", "Elu(x0,1)",
                           "HardSigmoid(x0,1,1)", "HardSwish(x0)", "Softplus(x0)", "Sigmoid(x0)",
                           "Round(x0)", "Min(x0,1)", "Min(1,x0)", "Max(x0,1)", "Max(1,x0)"}) {
    EXPECT_TRUE(std::isnan(Eval(text, {nan}))) << text;
  }
}

TEST(ExpressionEval, Broadcasts) {
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, row = {10, 20, 30}, column = {100, 200}, one = {1000};
  const auto view = [](std::vector<float>& v, Shape shape) {
    return TensorView{DType::kF32, std::move(shape), reinterpret_cast<std::byte*>(v.data()), {}};
  };
  const TensorView x = view(a, {2, 3}), r = view(row, {3}), c = view(column, {2, 1}),
                   s = view(one, {});
  const auto expression = *graph::Expression::Parse("Add(x0,x1);Add(t0,x2);Add(t1,x3)");
  const std::array<const TensorView*, 4> operands = {&x, &r, &c, &s};
  ASSERT_TRUE(CheckOperands(expression, operands, x.shape).ok());
  ApplyExpression(expression, operands, x);
  EXPECT_EQ(a, (std::vector<float>{1111, 1122, 1133, 1214, 1225, 1236}));
  EXPECT_FALSE(CheckOperands(expression, std::span(operands).first(3), x.shape).ok());
  EXPECT_FALSE(CheckOperands(expression, operands, Shape{3}).ok());
}

}  // namespace
}  // namespace waybill::kernel::reference
