#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using Ints = std::vector<int64_t>;

struct Variant {
  Ints x, first, shape, second;
  bool inner_read = false;
};

std::string Bytes(const Variant& v) {
  ModelWriter m;
  m.Opset("", 13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, onnx::ShapeWriter(v.x.begin(), v.x.end()));
  g.Initializer(
      TensorWriter::Of<int64_t>("shape", {static_cast<int64_t>(v.shape.size())}, v.shape));
  g.Node("Transpose", {"x"}, {"a"}).Ints("perm", v.first);
  g.Node("Reshape", {"a", "shape"}, {"b"});
  g.Node("Transpose", {"b"}, {"y"}).Ints("perm", v.second);
  g.Output("y");
  if (v.inner_read) {
    g.Node("Relu", {"b"}, {"z"});
    g.Output("z");
  }
  return m.bytes();
}

size_t TransposesLeft(const Variant& v) {
  std::vector<float> values(static_cast<size_t>(Shape(std::span<const int64_t>(v.x)).elems()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  ExpectSameAtAllLevels(Bytes(v),
                        {MakeTensor<float>(Shape(std::span<const int64_t>(v.x)), values)});
  return RewriteBytes(Bytes(v)).Count("Transpose");
}

TEST(MergeTransposes, JoinedAxesMoveTogether) {
  EXPECT_EQ(TransposesLeft({{2, 3, 4, 2, 3, 2}, {0, 5, 3, 1, 2, 4}, {2, 12, 4, 3}, {0, 2, 3, 1}}),
            1u);
  EXPECT_EQ(TransposesLeft({{2, 3, 4}, {2, 0, 1}, {4, 6}, {1, 0}}), 1u);
  EXPECT_EQ(TransposesLeft({{2, 1, 3, 4}, {3, 1, 0, 2}, {4, 6}, {1, 0}}), 1u);
  EXPECT_EQ(TransposesLeft({{2, 1, 3}, {2, 1, 0}, {3, 1, 2}, {1, 0, 2}}), 1u);
  EXPECT_EQ(TransposesLeft({{1, 1, 3}, {2, 1, 0}, {3, 1, 1}, {1, 2, 0}}), 1u);
}

TEST(MergeTransposes, OthersStay) {
  EXPECT_EQ(TransposesLeft({{2, 3, 4}, {2, 0, 1}, {3, 8}, {1, 0}}), 2u);
  EXPECT_EQ(TransposesLeft({{2, 6}, {1, 0}, {3, 2, 2}, {0, 2, 1}}), 2u);
  EXPECT_EQ(TransposesLeft({{2, 3, 4}, {2, 0, 1}, {4, 6}, {1, 0}, true}), 2u);
}

}  // namespace
}  // namespace waybill::test
