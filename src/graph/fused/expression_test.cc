#include "graph/fused/expression.h"

#include <gtest/gtest.h>

#include <limits>

namespace waybill::graph {
namespace {

TEST(Expression, PrintsWhatItParses) {
  for (const char* text :
       {"Relu(x0)", "Add(x0,3);Clip(t0,0,6);Mul(x0,t1);Div(t2,6)",
        "HardSigmoid(x3,0.16666667,0.5);LeakyRelu(t0,-1.5e-20)", "Clip(x0,-inf,inf)"}) {
    const auto parsed = Expression::Parse(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(parsed->Print(), text);
  }
  EXPECT_EQ(Expression::Parse("Mul(x3,x1)")->num_inputs(), 4u);
}

TEST(Expression, NumbersSurviveExactly) {
  for (const float f : {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 16777217.0f, 1.0f / 3}) {
    Expression e;
    e.Append({ExprOp::kMul, {ExprOperand::Input(0), ExprOperand::Number(f), {}}});
    EXPECT_EQ(Expression::Parse(e.Print())->steps()[0].args[1], ExprOperand::Number(f));
  }
}

TEST(Expression, RefusesWhatIsNone) {
  for (const char* text : {"", ";", "Relu", "Relu(", "Relu()", "Relu(x0))", "Relu(x0,x1)",
                           "Add(x0)", "Foo(x0)", "Relu(t0)", "Relu(x0);Relu(t1)", "Relu(x99)",
                           "Relu(y0)", "Relu(x)", "Add(x0,1e)", "Relu(x0);"}) {
    EXPECT_FALSE(Expression::Parse(text).ok()) << text;
  }
  std::string longest = "Relu(x0)";
  for (size_t i = 1; i < kMaxExprSteps; ++i) longest += ";Relu(x0)";
  EXPECT_TRUE(Expression::Parse(longest).ok());
  EXPECT_FALSE(Expression::Parse(longest + ";Relu(x0)").ok());
}

}  // namespace
}  // namespace waybill::graph
