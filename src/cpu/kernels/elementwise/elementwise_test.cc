#include <gtest/gtest.h>

#include "cpu/kernels/elementwise/block_loops.h"
#include "cpu/kernels/testing/against_reference.h"

namespace waybill::cpu {
namespace {

const std::string kTile = "elementwise.tile";

const std::vector<std::pair<Shape, Shape>> kPairs = {
    {{}, {}},
    {{5}, {5}},
    {{5}, {}},
    {{}, {2, 3}},
    {{2, 3}, {3}},
    {{3}, {2, 3}},
    {{2, 1}, {1, 3}},
    {{2, 3, 4}, {3, 1}},
    {{1, 3, 1, 1}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {2, 1, 4, 1}},
    {{2, 3, 40, 51}, {3, 1, 1}},
    {{0}, {1}},
    {{2, 0, 3}, {3}},
    {{1, 1}, {1}},
    {{4, 1, 6}, {4, 5, 6}},
    {{130, 300}, {300}},
    {{300, 130}, {300, 1}},
    {{64, 3, 700}, {64, 1, 700}},
    {{2, 1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1}}};

TEST(CpuElementwise, BinaryOperatorsBroadcastEveryWay) {
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean"}) {
    for (const auto& [a, b] : kPairs) {
      NodeCase(op, 13).In(RandomWithSpecials(a, 1)).In(Random(b, 2)).Agrees(kTile);
      if (HasFailure()) return;
    }
  }
  NodeCase("Add", 14).In(Random({2}, 1)).In(Random({3}, 2)).Fails("do not broadcast");
}

TEST(CpuElementwise, BinaryOperatorsBeforeVersion7) {
  const Tensor x = Random({2, 3, 4, 5}, 1);
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow"}) {
    NodeCase(op, 6).In(x).In(Random({2, 3, 4, 5}, 2)).Agrees(kTile);
    NodeCase(op, 6).In(x).In(Random({4, 5}, 2)).Attr("broadcast", int64_t{1}).Agrees(kTile);
    NodeCase(op, 6).In(x).In(Random({}, 2)).Attr("broadcast", int64_t{1}).Agrees(kTile);
    NodeCase(op, 6)
        .In(x)
        .In(Random({3, 4}, 2))
        .Attr("broadcast", int64_t{1})
        .Attr("axis", int64_t{1})
        .Agrees(kTile);
  }
}

TEST(CpuElementwise, UnaryOperators) {
  for (const char* op :
       {"Abs",       "Ceil",        "Cos",      "Erf",        "Exp",  "Floor", "HardSwish",
        "Log",       "Mish",        "Neg",      "Reciprocal", "Relu", "Round", "Sigmoid",
        "Sin",       "Softplus",    "Softsign", "Sqrt",       "Tanh", "Elu",   "Selu",
        "LeakyRelu", "HardSigmoid", "Gelu",     "Swish"}) {
    const int version = std::string(op) == "Gelu"        ? 20
                        : std::string(op) == "Swish"     ? 24
                        : std::string(op) == "Mish"      ? 18
                        : std::string(op) == "HardSwish" ? 14
                        : std::string(op) == "Round"     ? 11
                        : std::string(op) == "Erf"       ? 13
                                                         : 6;
    for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{7}, Shape{3, 5, 41}, Shape{70001}}) {
      NodeCase(op, version).In(RandomWithSpecials(shape, 3)).Near(4e-6, 1e-6).Agrees(kTile);
      if (HasFailure()) return;
    }
  }
}

TEST(CpuElementwise, AttributesCount) {
  const Tensor x = RandomWithSpecials({3, 50}, 4);
  NodeCase("LeakyRelu", 6).In(x).Attr("alpha", 0.3f).Agrees(kTile);
  NodeCase("Elu", 6).In(x).Attr("alpha", 2.5f).Agrees(kTile);
  NodeCase("Selu", 6).In(x).Attr("alpha", 1.1f).Attr("gamma", 0.4f).Agrees(kTile);
  NodeCase("HardSigmoid", 6).In(x).Attr("alpha", 0.3f).Attr("beta", 0.1f).Agrees(kTile);
  NodeCase("Swish", 24).In(x).Attr("alpha", 1.5f).Agrees(kTile);
  NodeCase("Gelu", 20)
      .In(Random({3, 50}, 1))
      .Attr("approximate", std::string("tanh"))
      .Agrees(kTile);
  NodeCase("Gelu", 20).In(x).Attr("approximate", std::string("x")).Fails("not \"none\"");
}

TEST(CpuElementwise, Clip) {
  const Tensor x = RandomWithSpecials({3, 50}, 5);
  NodeCase("Clip", 6).In(x).Agrees(kTile);
  NodeCase("Clip", 6).In(x).Attr("min", -0.5f).Attr("max", 1.0f).Agrees(kTile);
  NodeCase("Clip", 13).In(x).Agrees(kTile);
  NodeCase("Clip", 13).In(x).In(MakeFloats({}, {-1})).Agrees(kTile);
  NodeCase("Clip", 13).In(x).Omit().In(MakeFloats({1}, {0.5f})).Agrees(kTile);
  NodeCase("Clip", 13).In(x).In(MakeFloats({}, {1})).In(MakeFloats({}, {-1})).Agrees(kTile);
  NodeCase("Clip", 13).In(MakeFloats({}, {3})).In(MakeFloats({1}, {-1})).Agrees(kTile);
  NodeCase("Clip", 13).In(x).In(Random({2}, 1)).Fails("must be a scalar");
}

TEST(CpuElementwise, ManyOperandsAndOne) {
  for (const char* op : {"Max", "Min", "Sum", "Mean"}) {
    NodeCase(op, 13).In(RandomWithSpecials({3, 4}, 1)).Agrees(kTile);
    NodeCase(op, 13).In(Random({3, 4}, 1)).In(Random({4}, 2)).In(Random({3, 1}, 3)).Agrees(kTile);
    NodeCase many(op, 13);
    for (uint32_t i = 0; i < 17; ++i) many.In(Random({3}, i));
    many.Refused("17 operands");
  }
}

TEST(CpuElementwise, PReluAndContrib) {
  NodeCase("PRelu", 9).In(Random({2, 3, 4}, 1)).In(Random({3, 1}, 2)).Agrees(kTile);
  NodeCase("PRelu", 9).In(Random({2, 3}, 1)).In(Random({4, 1, 1}, 2)).Fails("[4, 1, 1]");
  const std::string ms = "com.microsoft";
  for (const char* op : {"Gelu", "FastGelu", "QuickGelu"}) {
    NodeCase(op, 1, ms).In(Random({2, 3, 40}, 1)).Agrees(kTile);
  }
  for (const char* op : {"BiasGelu", "FastGelu"}) {
    NodeCase(op, 1, ms).In(Random({2, 3, 40}, 1)).In(Random({40}, 2)).Agrees(kTile);
  }
}

TEST(CpuElementwise, FusedExpressions) {
  NodeCase("Elementwise", 1, "waybill")
      .In(Random({2, 3, 4, 70}, 1))
      .In(Random({3, 1, 1}, 2))
      .In(Random({70}, 3))
      .Attr("expr", std::string("Mul(x0,x1);Add(t0,x2);Sigmoid(t1);Mul(t1,t2)"))
      .Agrees(kTile);
  NodeCase("Elementwise", 1, "waybill")
      .In(Random({2}, 1))
      .Attr("expr", std::string("Add(x0,x1)"))
      .Fails("reads 2 operands");
}

TEST(CpuElementwise, OtherTypesAreRefused) {
  NodeCase("Add", 14)
      .In(RandomOf(DType::kF64, {2}, 1))
      .In(RandomOf(DType::kF64, {2}, 1))
      .Outputs({DType::kF64})
      .Refused("element type double is not float");
}

// Pieces cover the output once, and their offsets are those of their first elements.
TEST(BlockLoops, PiecesCoverTheOutput) {
  for (const auto& [a, b] : kPairs) {
    const Shape out = *BroadcastShapes(a, b);
    const Shape operands[] = {a, b};
    BlockLoops loops = MakeBlockLoops(operands, out);
    SplitBlocks(loops, 100, 3);
    std::vector<int> seen(static_cast<size_t>(out.elems()), 0);
    for (size_t task = 0; task < loops.tasks; ++task) {
      const BlockPiece piece = PieceAt(loops, task);
      for (size_t r = 0; r < piece.rows; ++r) {
        for (size_t c = 0; c < piece.columns; ++c) ++seen[piece.out + r * loops.columns.dim + c];
      }
    }
    for (const int count : seen) ASSERT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace waybill::cpu
