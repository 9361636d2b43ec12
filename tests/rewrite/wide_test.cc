// Values with thousands of readers: what a pass looks at per value must not grow with all of them,
// or these take minutes.
#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

constexpr int kReaders = 3000;

// e = Exp(x); every reader takes e through one node; all of them are joined.
std::string Wide(const std::string& reader, const std::string& join) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2});
  g.Initializer(TensorWriter::Of<float>("half", {1}, {0.5f}));
  g.Node("Exp", {"x"}, {"e"});
  std::vector<std::string> read;
  for (int i = 0; i < kReaders; ++i) {
    read.push_back("r" + std::to_string(i));
    std::vector<std::string> inputs = {"e"};
    if (reader == "Mul") inputs.push_back("half");
    g.Node(reader, inputs, {read.back()});
  }
  onnx::NodeWriter& node = g.Node(join, read, {"y"});
  if (join == "Concat") node.Int("axis", 0);
  g.Output("y");
  return m.bytes();
}

TEST(WideGraphs, ThousandsOfReaders) {
  const Value x = MakeTensor<float>({2}, {0.0f, 1.0f});
  for (const char* reader : {"Neg", "Mul", "Identity"}) {
    for (const char* join : {"Concat", "Sum"}) {
      SCOPED_TRACE(std::string(reader) + " into " + join);
      const std::string bytes = Wide(reader, join);
      Rewritten rewritten = RewriteBytes(bytes);
      const auto plain = RunModel(RewriteBytes(bytes, {.level = graph::RewriteLevel::kNone}).model,
                                  std::span(&x, 1));
      const auto better = RunModel(std::move(rewritten.model), std::span(&x, 1));
      ASSERT_EQ(plain.size(), 1u);
      ASSERT_EQ(better.size(), 1u);
      EXPECT_EQ(Difference(better[0], plain[0], Tolerance()), "");
    }
  }
}

}  // namespace
}  // namespace waybill::test
