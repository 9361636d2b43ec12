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

// Blocks of at most 4 KiB.
class SmallBlocks final : public SystemSource {
 public:
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    if (bytes > 4096) return Error(Code::kOutOfMemory, "{} bytes are too many", bytes);
    return SystemSource::Take(bytes, align, tag);
  }
};

TEST(FoldLimit, WhatHasNoMemoryIsSaid) {
  const Rewritten rewritten = RewriteBytes(Doubled(10), {}, std::make_shared<SmallBlocks>());
  EXPECT_EQ(rewritten.Count("Concat"), 2u);
  ASSERT_EQ(rewritten.report.short_of_memory.size(), 1u);
  EXPECT_NE(rewritten.report.short_of_memory[0].find("8192 bytes are too many"), std::string::npos);
  const auto& patches = rewritten.report.patches;
  EXPECT_EQ(std::count_if(patches.begin(), patches.end(),
                          [](const graph::PatchRecord& patch) { return patch.refused; }),
            1);
}

// Refuses 8 KiB the first time.
class LateBlocks final : public SystemSource {
 public:
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    if (bytes == 8192 && refused_++ == 0) return Error(Code::kOutOfMemory, "it is too early");
    return SystemSource::Take(bytes, align, tag);
  }

 private:
  int refused_ = 0;
};

// The nodes before it are folded in the first round, so that there is a second one.
TEST(FoldLimit, WhatIsFoldedInALaterRoundIsNotShortOfMemory) {
  const Rewritten rewritten = RewriteBytes(Doubled(10), {}, std::make_shared<LateBlocks>());
  EXPECT_EQ(rewritten.Count("Concat"), 0u);
  EXPECT_TRUE(rewritten.report.short_of_memory.empty());
  const auto& patches = rewritten.report.patches;
  EXPECT_TRUE(std::any_of(patches.begin(), patches.end(),
                          [](const graph::PatchRecord& patch) { return patch.refused; }));
}

}  // namespace
}  // namespace waybill::test
