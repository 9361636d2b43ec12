#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using Ints = std::vector<int64_t>;

struct Variant {
  // Row and column where each part begins.
  std::vector<std::pair<int, int>> corners = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  bool columns_first = false;
  int64_t rows = 4;
  int64_t end = 1000;
};

std::string Bytes(const Variant& v) {
  ModelWriter m;
  m.Opset("", 13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2, 3, v.rows, 6});
  for (const int64_t i : {0, 1, 2, 3}) {
    g.Initializer(TensorWriter::Of<int64_t>("i" + std::to_string(i), {1}, {i}));
  }
  g.Initializer(TensorWriter::Of<int64_t>("end", {1}, {v.end}));
  std::vector<std::string> parts;
  for (size_t i = 0; i < v.corners.size(); ++i) {
    const std::string half = "half" + std::to_string(i), part = "part" + std::to_string(i);
    const auto [row, column] = v.corners[i];
    const std::string first = "i" + std::to_string(v.columns_first ? column : row);
    const std::string second = "i" + std::to_string(v.columns_first ? row : column);
    g.Node("Slice", {"x", first, "end", v.columns_first ? "i3" : "i2", "i2"}, {half});
    g.Node("Slice", {half, second, "end", v.columns_first ? "i2" : "i3", "i2"}, {part});
    parts.push_back(part);
  }
  g.Node("Concat", parts, {"y"}).Int("axis", 1);
  g.Output("y");
  return m.bytes();
}

size_t SlicesLeft(const Variant& v) {
  std::vector<float> values(static_cast<size_t>(2 * 3 * v.rows * 6));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  ExpectSameAtAllLevels(Bytes(v), {MakeTensor<float>({2, 3, v.rows, 6}, values)});
  return RewriteBytes(Bytes(v)).Count("Slice");
}

TEST(BlockSlices, BothOrdersBecomeOneTransposition) {
  EXPECT_EQ(SlicesLeft({}), 0u);
  EXPECT_EQ(SlicesLeft({.corners = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}), 0u);
  EXPECT_EQ(SlicesLeft({.columns_first = true}), 0u);
}

TEST(BlockSlices, OtherSlicesStay) {
  EXPECT_EQ(SlicesLeft({.corners = {{1, 0}, {0, 0}, {0, 1}, {1, 1}}}), 8u);
  EXPECT_EQ(SlicesLeft({.corners = {{0, 0}, {1, 0}, {0, 1}}}), 6u);
  EXPECT_EQ(SlicesLeft({.corners = {{0, 0}, {0, 0}, {0, 1}, {0, 1}}, .rows = 5}), 8u);
  EXPECT_EQ(SlicesLeft({.rows = 4, .end = 2}), 8u);
}

}  // namespace
}  // namespace waybill::test
