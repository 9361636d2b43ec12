#include <limits>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

struct Variant {
  bool reshaped = true;
  bool shape_read = false;
  int64_t axis = -1;
  std::vector<float> values = {0, 1};
  float first_weight = 0.5f;
};

std::string Bytes(const Variant& v) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("i", onnx::kInt32, {2, 3});
  g.Initializer(TensorWriter::Of<int64_t>("depth", {1}, {4}));
  g.Initializer(TensorWriter::Of<float>("values", {2}, v.values));
  g.Initializer(TensorWriter::Of<float>("w", {4, 2}, {v.first_weight, 2, 3, 4, 5, 6, 7, 8}));
  g.Initializer(TensorWriter::Of<int64_t>("rows", {2}, {-1, 4}));
  g.Node("OneHot", {"i", "depth", "values"}, {"hot"}).Int("axis", v.axis);
  if (v.reshaped) g.Node("Reshape", {"hot", "rows"}, {"flat"});
  g.Node("MatMul", {v.reshaped ? "flat" : "hot", "w"}, {"y"});
  g.Output("y");
  if (v.shape_read) {
    g.Node("Shape", {"hot"}, {"s"});
    g.Output("s");
  }
  return m.bytes();
}

size_t Picks(const Variant& v) {
  const Value indices = MakeTensor<int32_t>({2, 3}, {0, 3, -1, -4, 4, -5});
  ExpectSameAtAllLevels(Bytes(v), {indices});
  return RewriteBytes(Bytes(v)).Count("OneHotMatMul");
}

TEST(OneHotMatMul, WithAndWithoutReshape) {
  EXPECT_EQ(Picks({.reshaped = true}), 1u);
  EXPECT_EQ(Picks({.reshaped = false}), 1u);
}

TEST(OneHotMatMul, ShapesAreTakenFromTheIndices) {
  const Variant v = {.reshaped = true, .shape_read = true};
  EXPECT_EQ(Picks(v), 1u);
  EXPECT_EQ(RewriteBytes(Bytes(v)).Count("OneHot"), 0u);
}

TEST(OneHotMatMul, OtherOnesStay) {
  EXPECT_EQ(Picks({.reshaped = true, .values = {0, 2}}), 0u);
  EXPECT_EQ(Picks({.reshaped = true, .values = {0.5f, 1}}), 0u);
  EXPECT_EQ(Picks({.reshaped = true, .axis = 0}), 0u);
}

TEST(OneHotMatMul, WeightsThatAreNotFiniteStay) {
  const Variant v = {.reshaped = true, .first_weight = std::numeric_limits<float>::infinity()};
  EXPECT_EQ(RewriteBytes(Bytes(v)).Count("OneHotMatMul"), 0u);
}

}  // namespace
}  // namespace waybill::test
