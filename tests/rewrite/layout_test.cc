// Rewrites of level 3: convolutions and what follows them keep their channels last.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

Value WaveTensor(const Shape& shape) {
  std::vector<float> wave;
  for (int64_t i = 0; i < shape.elems(); ++i) {
    wave.push_back(std::sin(0.7f * static_cast<float>(i)));
  }
  return MakeTensor<float>(shape, wave);
}

// A model whose input x is [2, 4, 6, 5] and whose value c is a convolution of the same shape.
struct ImageModel {
  explicit ImageModel(int opset = 13) {
    m.Opset("", opset);
    g().Input("x", onnx::kFloat, {2, 4, 6, 5});
    std::vector<float> w;
    for (int i = 0; i < 144; ++i) w.push_back(0.3f * std::cos(static_cast<float>(i)));
    g().Initializer(TensorWriter::Of<float>("w", {4, 4, 3, 3}, w));
    g().Initializer(TensorWriter::Of<float>("wd", {4, 1, 1, 1}, {1, 2, -1, 0.5f}));
    Conv("x", "c");
  }
  GraphWriter& g() { return m.graph(); }
  void Conv(const char* x, const char* y) {
    g().Node("Conv", {x, "w"}, {y}).Ints("pads", {1, 1, 1, 1});
  }
  // Makes `name` an output through one more convolution (so that layouts must meet), runs all
  // levels and returns how many Transposes are left.
  size_t Transposes(const char* name) {
    g().Node("Conv", {name, "wd"}, {"y"}).Int("group", 4);
    g().Output("y");
    ExpectSameAtAllLevels(m.bytes(), {WaveTensor({2, 4, 6, 5})}, {1e-4, 1e-5});
    return RewriteBytes(m.bytes()).Count("Transpose");
  }
  ModelWriter m;
};

// In and out: one Transpose at each edge of the graph.
constexpr size_t kEdges = 2;

TEST(Layout, TwoConvolutions) { EXPECT_EQ(ImageModel().Transposes("c"), kEdges); }

TEST(Layout, PoolsFollow) {
  ImageModel model;
  model.g().Node("MaxPool", {"c"}, {"p"}).Ints("kernel_shape", {3, 2}).Ints("strides", {1, 2});
  model.g()
      .Node("AveragePool", {"p"}, {"q"})
      .Ints("kernel_shape", {2, 2})
      .Ints("pads", {1, 0, 0, 1});
  EXPECT_EQ(model.Transposes("q"), kEdges);
}

TEST(Layout, GatesOfSqueezeAndExcite) {
  ImageModel model;
  GraphWriter& g = model.g();
  g.Node("GlobalAveragePool", {"c"}, {"mean"});
  g.Node("Conv", {"mean", "wd"}, {"s"}).Int("group", 4);
  g.Node("HardSigmoid", {"s"}, {"gate"});
  g.Node("Mul", {"c", "gate"}, {"e"});
  g.Node("GlobalMaxPool", {"e"}, {"max"});
  g.Node("Add", {"max", "e"}, {"f"});
  EXPECT_EQ(model.Transposes("f"), kEdges);
}

TEST(Layout, ConstantsArePermuted) {
  ImageModel model;
  GraphWriter& g = model.g();
  std::vector<float> full;
  for (int i = 0; i < 120; ++i) full.push_back(static_cast<float>(i));
  g.Initializer(TensorWriter::Of<float>("full", {1, 4, 6, 5}, full));
  g.Initializer(TensorWriter::Of<float>("row", {5}, {1, 2, 3, 4, 5}));
  g.Node("Mul", {"c", "full"}, {"a"});
  g.Node("Pow", {"row", "a"}, {"b"});
  EXPECT_EQ(model.Transposes("b"), kEdges);
}

TEST(Layout, AxesAreRenumbered) {
  ImageModel model;
  GraphWriter& g = model.g();
  g.Initializer(TensorWriter::Of<int64_t>("halves", {2}, {1, 3}));
  g.Node("Split", {"c", "halves"}, {"s1", "s2"}).Int("axis", -3);
  g.Node("Softmax", {"s2"}, {"m"}).Int("axis", 1);
  g.Node("Concat", {"m", "s1"}, {"a"}).Int("axis", 1);
  g.Node("ReduceMax", {"a"}, {"r"}).Ints("axes", {2});
  g.Node("Add", {"a", "r"}, {"b"});
  EXPECT_EQ(model.Transposes("b"), kEdges);
}

TEST(Layout, ReductionsThatDropTheirAxes) {
  for (const auto& axes : std::vector<std::vector<int64_t>>{{2, 3}, {1}, {2}, {0, 1}}) {
    ImageModel model;
    model.g().Node("ReduceMean", {"c"}, {"r"}).Ints("axes", axes).Int("keepdims", 0);
    model.g().Output("r");
    ExpectSameAtAllLevels(model.m.bytes(), {WaveTensor({2, 4, 6, 5})}, {1e-4, 1e-5});
    const size_t direct = axes.size() == 1 && axes[0] == 2 ? 2 : 1;
    EXPECT_EQ(RewriteBytes(model.m.bytes()).Count("Transpose"), direct);
  }
}

TEST(Layout, GeometryFollows) {
  ImageModel model;
  GraphWriter& g = model.g();
  g.Initializer(TensorWriter::Of<float>("scales", {4}, {1, 1, 2, 1}));
  g.Initializer(TensorWriter::Of<int64_t>("pads", {8}, {0, 1, 0, 2, 0, 0, 1, 0}));
  g.Initializer(TensorWriter::Of<int64_t>("starts", {2}, {1, -1}));
  g.Initializer(TensorWriter::Of<int64_t>("ends", {2}, {5, -9}));
  g.Initializer(TensorWriter::Of<int64_t>("axes", {2}, {1, 3}));
  g.Initializer(TensorWriter::Of<int64_t>("steps", {2}, {1, -2}));
  g.Node("Resize", {"c", "", "scales"}, {"a"}).String("mode", "linear");
  g.Node("Pad", {"a", "pads"}, {"b"});
  g.Node("Slice", {"b", "starts", "ends", "axes", "steps"}, {"d"});
  EXPECT_EQ(model.Transposes("d"), kEdges);
}

// Version 11 wants a region even where none is read, and a model that is written has one.
TEST(Layout, ResizeOfEarlyVersions) {
  ImageModel model(11);
  GraphWriter& g = model.g();
  g.Initializer(TensorWriter::Of<float>("scales", {4}, {1, 1, 2, 1}));
  g.Initializer(TensorWriter::Of<float>("roi", {0}, {}));
  g.Node("Resize", {"c", "roi", "scales"}, {"a"}).String("mode", "linear");
  EXPECT_EQ(model.Transposes("a"), kEdges);
}

TEST(Layout, TransposesThatUndoIt) {
  ImageModel model;
  GraphWriter& g = model.g();
  g.Node("Transpose", {"c"}, {"last"}).Ints("perm", {0, 2, 3, 1});
  g.Node("Neg", {"last"}, {"n"});
  g.Node("Transpose", {"n"}, {"first"}).Ints("perm", {0, 3, 1, 2});
  EXPECT_EQ(model.Transposes("first"), kEdges);
}

TEST(Layout, ChannelShuffle) {
  ModelWriter m;
  m.Opset("", 13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2, 6, 3, 2});
  std::vector<float> w;
  for (int i = 0; i < 18; ++i) w.push_back(std::cos(static_cast<float>(i)));
  g.Initializer(TensorWriter::Of<float>("w", {6, 3, 1, 1}, w));
  g.Initializer(TensorWriter::Of<int64_t>("split", {5}, {2, 2, 3, 3, 2}));
  g.Initializer(TensorWriter::Of<int64_t>("merge", {4}, {0, -1, 3, 2}));
  g.Node("Conv", {"x", "w"}, {"a"}).Int("group", 2);
  g.Node("Reshape", {"a", "split"}, {"b"});
  g.Node("Transpose", {"b"}, {"c"}).Ints("perm", {0, 2, 1, 3, 4});
  g.Node("Reshape", {"c", "merge"}, {"d"});
  g.Node("Conv", {"d", "w"}, {"y"}).Int("group", 2);
  g.Output("y");
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({2, 6, 3, 2})}, {1e-4, 1e-5});
  EXPECT_EQ(RewriteBytes(m.bytes()).Count("Transpose"), kEdges + 1) << "and the shuffle's own";
}

TEST(Layout, OneDimensionalConvsReadTheValueBeforeTheTranspose) {
  ModelWriter m;
  m.Opset("", 13);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {"n", "l", 3});
  g.Initializer(TensorWriter::Of<float>("w", {2, 3, 1}, {1, 2, 3, 4, 5, 6}));
  g.Node("Transpose", {"x"}, {"t"}).Ints("perm", {0, 2, 1});
  g.Node("Conv", {"t", "w"}, {"c"});
  g.Node("Transpose", {"c"}, {"y"}).Ints("perm", {0, 2, 1});
  g.Node("Relu", {"y"}, {"z"});
  g.Output("z");
  ExpectSameAtAllLevels(m.bytes(), {WaveTensor({2, 5, 3})});
  EXPECT_EQ(RewriteBytes(m.bytes()).Count("Transpose"), 0u);
}

TEST(Layout, OtherOperatorsReadTheOldLayout) {
  ImageModel model;
  GraphWriter& g = model.g();
  g.Initializer(TensorWriter::Of<int64_t>("flat", {2}, {2, -1}));
  g.Node("Reshape", {"c", "flat"}, {"r"});
  g.Output("r");
  g.Output("c");
  ExpectSameAtAllLevels(model.m.bytes(), {WaveTensor({2, 4, 6, 5})}, {1e-4, 1e-5});
}

}  // namespace
}  // namespace waybill::test
