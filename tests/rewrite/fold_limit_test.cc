// What folding constants may add to a model.
#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

// A constant of 16 bytes, doubled `times` times by what reads it twice.
std::string Doubled(int times) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {});
  g.Initializer(TensorWriter::Of<float>("h0", {4}, {1, 2, 3, 4}));
  for (int i = 0; i < times; ++i) {
    const std::string from = "h" + std::to_string(i);
    g.Node("Concat", {from, from}, {"h" + std::to_string(i + 1)}).Int("axis", 0);
  }
  g.Node("ReduceSum", {"h" + std::to_string(times)}, {"s"}).Int("keepdims", 0);
  g.Node("Add", {"x", "s"}, {"y"});
  g.Output("y");
  return m.bytes();
}

TEST(FoldLimit, WhatIsReadTwiceCountsOnce) {
  const Rewritten rewritten = RewriteBytes(Doubled(20), {.fold_limit_bytes = 1000});
  // 16 + 32 + ... + 256 bytes are 496; one more would add 512.
  EXPECT_EQ(rewritten.Count("Concat"), 15u);
  EXPECT_LE(rewritten.report.folded_growth_bytes, 1000u);
}

TEST(FoldLimit, WithinItAllIsFolded) {
  EXPECT_EQ(RewriteBytes(Doubled(5), {.fold_limit_bytes = 1000}).Count("Concat"), 0u);
}

}  // namespace
}  // namespace waybill::test
