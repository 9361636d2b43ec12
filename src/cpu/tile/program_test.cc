#include "cpu/tile/program.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "cpu/tile/epilogue.h"
#include "kernel/reference/internal/expression_eval.h"

namespace waybill::cpu {
namespace {

using kernel::reference::EvalExpression;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kGuard = 12345.0f;

std::vector<float> Samples(size_t n, uint32_t seed) {
  constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf, 1e-42f, -3e38f, NAN};
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& value : out) {
    value = random() % 16 == 0 ? kSpecial[random() % 9]
                               : std::ldexp(static_cast<float>(random()) / 4e9f - 0.5f,
                                            static_cast<int>(random() % 6));
  }
  return out;
}

bool Near(float got, float want) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == want) return true;
  return std::abs(got - want) <= 1e-6f + 2e-6f * std::abs(want);
}

graph::Expression Parse(const std::string& text) { return *graph::Expression::Parse(text); }

// How an operand lies over the block.
enum class Layout { kDense, kPitched, kRow, kColumn, kNumber, kTransposed, kStretched };
constexpr Layout kLayouts[] = {Layout::kDense,    Layout::kPitched, Layout::kRow,
                               Layout::kColumn,   Layout::kNumber,  Layout::kTransposed,
                               Layout::kStretched};

TileOperand OperandOf(Layout layout, const float* data, size_t rows, size_t columns) {
  switch (layout) {
    case Layout::kDense:
      return {data, columns, 1};
    case Layout::kPitched:
      return {data, columns + 3, 1};
    case Layout::kRow:
      return {data, 0, 1};
    case Layout::kColumn:
      return {data, 1, 0};
    case Layout::kNumber:
      return {data, 0, 0};
    case Layout::kTransposed:
      return {data, 1, rows};
    case Layout::kStretched:
      return {data, 2 * columns, 2};
  }
  return {};
}

class Block {
 public:
  Block(size_t rows, size_t columns, size_t pitch)
      : rows_(rows), columns_(columns), pitch_(pitch) {}

  void Check(const graph::Expression& expression, SimdTarget target,
             std::span<const Layout> layouts) const {
    const auto program = TileProgram::Make(expression, target);
    ASSERT_TRUE(program.ok());
    std::vector<std::vector<float>> data;
    std::vector<TileOperand> inputs;
    for (size_t i = 0; i < layouts.size(); ++i) {
      data.push_back(Samples(2 * rows_ * columns_ + 3 * rows_ + 8, static_cast<uint32_t>(i + 1)));
      inputs.push_back(OperandOf(layouts[i], data.back().data() + i % 3, rows_, columns_));
    }
    std::vector<float> out(rows_ * pitch_ + 2, kGuard);
    program->Run(out.data() + 1, pitch_, rows_, columns_, inputs);
    for (size_t r = 0; r < rows_; ++r) {
      for (size_t c = 0; c < pitch_; ++c) {
        const float got = out[1 + r * pitch_ + c];
        if (c >= columns_) {
          ASSERT_EQ(got, kGuard) << r << " " << c;
          continue;
        }
        std::vector<float> x;
        for (const TileOperand& in : inputs) {
          x.push_back(in.data[r * in.row_stride + c * in.column_stride]);
        }
        const float want = EvalExpression(expression, x.data());
        ASSERT_TRUE(Near(got, want)) << expression.Print() << " at " << r << " " << c << ": " << got
                                     << " not " << want << " of " << x[0];
      }
    }
    ASSERT_EQ(out[0], kGuard);
    ASSERT_EQ(out.back(), kGuard);
  }

 private:
  size_t rows_, columns_, pitch_;
};

TEST(TileProgram, EveryOperationInEveryLayout) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    for (size_t op = 0; op < graph::kNumExprOps; ++op) {
      const graph::ExprOpInfo& info = graph::InfoOf(static_cast<graph::ExprOp>(op));
      std::string text(info.name);
      for (size_t k = 0; k < info.arity; ++k) text += Format("{}x{}", k == 0 ? "(" : ",", k);
      const graph::Expression expression = Parse(text + ")");
      for (size_t code = 0; code < 343; ++code) {
        const Layout layouts[] = {kLayouts[code % 7], kLayouts[code / 7 % 7], kLayouts[code / 49]};
        if (info.arity < 3 && code >= 49) break;
        if (info.arity < 2 && code >= 7) break;
        Block(3, 21, 21).Check(expression, target, std::span(layouts).first(info.arity));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(TileProgram, EveryShape) {
  const graph::Expression expression =
      Parse("Mul(x0,x1);Add(t0,x2);Sigmoid(t1);Mul(t1,t2);Sub(t3,x3);Relu(t4);Min(t5,40)");
  const Layout mixed[] = {Layout::kDense, Layout::kRow, Layout::kColumn, Layout::kNumber};
  const Layout dense[] = {Layout::kDense, Layout::kDense, Layout::kDense, Layout::kNumber};
  const Layout odd[] = {Layout::kPitched, Layout::kTransposed, Layout::kStretched, Layout::kRow};
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    for (const size_t rows : {0, 1, 2, 5, 33, 64}) {
      for (const size_t columns : {0, 1, 2, 7, 8, 9, 16, 24, 63, 127, 128, 129, 513, 1030}) {
        if (rows * columns > 5000) continue;
        for (const size_t pad : {0, 5}) {
          const Block block(rows, columns, columns + pad);
          block.Check(expression, target, mixed);
          block.Check(expression, target, dense);
          block.Check(expression, target, odd);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(TileProgram, ManyTemporariesAndOperands) {
  // Every step is read at the end, so all are alive at once.
  std::string text = "Add(x0,x1)";
  for (int i = 1; i < 16; ++i) text += Format(";Mul(x{},{})", i, i);
  for (int i = 1; i < 16; ++i) text += Format(";Max(t{},t{})", i == 1 ? 0 : 14 + i, i);
  const graph::Expression expression = Parse(text);
  std::vector<Layout> layouts;
  for (size_t i = 0; i < 16; ++i) layouts.push_back(kLayouts[i % 7]);
  for (const size_t columns : {1, 17, 127, 700}) {
    Block(9, columns, columns).Check(expression, BestTarget(), layouts);
    Block(9, columns, columns + 1).Check(expression, BestTarget(), layouts);
  }
}

TEST(TileProgram, CombinedAndUnusedSteps) {
  for (const char* text :
       {"Sigmoid(x0);Mul(x0,t0)", "Sigmoid(x0);Mul(t0,x0)", "Sigmoid(x0);Mul(t0,x0);Add(t0,t1)",
        "Mul(x0,x1);Add(t0,2)", "Mul(x0,x1);Add(2,t0)", "Add(x0,x1);Mul(t0,x0)",
        "Add(x0,x1);Relu(t0)", "Mul(x0,x1);Add(t0,x0);Relu(t1)", "Add(x0,x1);Relu(t0);Add(t0,t1)",
        "Mul(x0,x1);Add(t0,t0)", "Exp(x0);Neg(x1)", "Add(2,3)", "Add(2,3);Mul(t0,4);Add(t1,x0)",
        "Relu(x0);Mul(t0,t0)", "Mul(x0,2);Mul(x1,3);Add(t0,t1)",
        "Sigmoid(x0);Mul(x0,x1);Mul(t0,t1)"}) {
    const Layout layouts[] = {Layout::kDense, Layout::kColumn};
    const graph::Expression expression = Parse(text);
    for (const SimdTarget target : AvailableTargets()) {
      Block(4, 200, 200)
          .Check(expression, target, std::span(layouts).first(expression.num_inputs()));
    }
  }
}

TEST(TileProgram, BlocksDoNotChangeBits) {
  const graph::Expression expression =
      Parse("Erf(x0);Tanh(t0);Softplus(t1);Pow(t2,x1);Sin(t3);Exp(t4);Log(t5);Elu(t6,0.5)");
  const size_t rows = 7, columns = 83;
  const std::vector<float> x = Samples(rows * columns, 1), exponents = Samples(rows, 2);
  for (const SimdTarget target : AvailableTargets()) {
    const auto program = TileProgram::Make(expression, target);
    const auto run = [&](size_t step_rows, size_t step_columns) {
      std::vector<float> out(rows * columns);
      for (size_t r = 0; r < rows; r += step_rows) {
        for (size_t c = 0; c < columns; c += step_columns) {
          const TileOperand inputs[] = {{x.data() + r * columns + c, columns, 1},
                                        {exponents.data() + r, 1, 0}};
          program->Run(out.data() + r * columns + c, columns, std::min(step_rows, rows - r),
                       std::min(step_columns, columns - c), inputs);
        }
      }
      return out;
    };
    const std::vector<float> whole = run(rows, columns);
    for (const auto& [r, c] : {std::pair<size_t, size_t>{1, 83}, {3, 5}, {7, 1}, {2, 40}}) {
      const std::vector<float> parts = run(r, c);
      for (size_t i = 0; i < whole.size(); ++i) {
        if (std::isnan(whole[i]) && std::isnan(parts[i])) continue;
        ASSERT_EQ(std::bit_cast<uint32_t>(whole[i]), std::bit_cast<uint32_t>(parts[i])) << i;
      }
    }
  }
}

TEST(Epilogue, WorksInPlace) {
  const graph::Expression expression = Parse("Add(x0,x1);Mul(t0,x0);Sub(t1,x2)");
  for (const SimdTarget target : AvailableTargets()) {
    const auto epilogue = Epilogue::Make(expression, target);
    ASSERT_TRUE(epilogue.ok());
    EXPECT_EQ(epilogue->num_operands(), 2u);
    for (const size_t columns : {1, 20, 300}) {
      for (const size_t pitch : {columns, columns + 4}) {
        std::vector<float> y = Samples(6 * pitch, 1);
        const std::vector<float> before = y, row = Samples(columns, 2), column = Samples(6, 3);
        const EpilogueOperand operands[] = {{row.data(), 0, 1}, {column.data(), 1, 0}};
        epilogue->Run(y.data(), pitch, 6, columns, operands);
        for (size_t i = 0; i < y.size(); ++i) {
          const size_t r = i / pitch, c = i % pitch;
          const float x[] = {before[i], c < columns ? row[c] : 0, column[r]};
          const float want = c < columns ? EvalExpression(expression, x) : before[i];
          ASSERT_TRUE(Near(y[i], want)) << i;
        }
      }
    }
  }
}

TEST(Epilogue, Clamps) {
  const auto clamp = [](const std::string& text) -> std::pair<float, float> {
    float low = -7, high = 7;
    const auto epilogue = Epilogue::Make(Parse(text), SimdTarget::kBaseline);
    if (!epilogue->AsClamp(&low, &high)) return {1, -1};
    return {low, high};
  };
  EXPECT_EQ(clamp("Relu(x0)"), std::pair(0.0f, kInf));
  EXPECT_EQ(clamp("Clip(x0,0,6)"), std::pair(0.0f, 6.0f));
  EXPECT_EQ(clamp("Max(x0,2)"), std::pair(2.0f, kInf));
  EXPECT_EQ(clamp("Min(x0,2)"), std::pair(-kInf, 2.0f));
  for (const char* no : {"Relu(x1)", "Clip(x0,0,x1)", "Max(x0,nan)", "Relu(x0);Min(t0,6)",
                         "Tanh(x0)", "Add(x0,1)"}) {
    EXPECT_EQ(clamp(no), std::pair(1.0f, -1.0f)) << no;
  }
  float low = 0, high = 0, y = 5;
  EXPECT_TRUE(Epilogue().AsClamp(&low, &high));
  EXPECT_EQ(low, -kInf);
  EXPECT_EQ(high, kInf);
  Epilogue().Run(&y, 1, 1, 1, {});
  EXPECT_EQ(y, 5);
}

}  // namespace
}  // namespace waybill::cpu
