// Batch normalisations by the statistics of their own input.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

// Rows of a matrix as channels of one image, the way layer normalisations of matrices are written
// for libraries with a fast batch normalisation.
struct RowNorm {
  int64_t batch = 1, rows = 3, columns = 4;
  float count = 4;
  std::vector<int64_t> mean_axes = {0, 2, 3}, square_axes = {0, -2, -1};
  bool centred_by_mean = true;

  std::string Bytes() const {
    ModelWriter m;
    GraphWriter& g = m.Opset("", 13).graph();
    g.Input("matrix", onnx::kFloat, {"n", batch * columns});
    g.Initializer(TensorWriter::Of<int64_t>("image", {4}, {batch, -1, columns, 1}));
    g.Initializer(TensorWriter::Of<int64_t>("flat", {2}, {-1, columns}));
    g.Initializer(TensorWriter::Of<int64_t>("others", {3}, {0, 2, 3}));
    g.Initializer(TensorWriter::Of<float>("scale", {3}, {1, 2, -1}));
    g.Initializer(TensorWriter::Of<float>("bias", {3}, {0.5f, 0, 3}));
    g.Initializer(TensorWriter::Scalar<float>("count", count));
    g.Initializer(TensorWriter::Scalar<float>("half", 0.5f));
    g.Node("Reshape", {"matrix", "image"}, {"x"});
    g.Node("ReduceMean", {"x"}, {"m"}).Ints("axes", mean_axes);
    g.Node("Squeeze", {"m", "others"}, {"mean"});
    g.Node("Sub", {"x", centred_by_mean ? "m" : "half"}, {"d"});
    g.Node("ReduceSumSquare", {"d"}, {"squares"}).Ints("axes", square_axes).Int("keepdims", 0);
    g.Node("Div", {"squares", "count"}, {"var"});
    g.Node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y"})
        .Float("epsilon", 0.01f);
    g.Node("Reshape", {"y", "flat"}, {"z"});
    g.Output("z");
    return m.bytes();
  }

  size_t Means() const {
    const Shape shape{rows, batch * columns};
    std::vector<float> x;
    for (int64_t i = 0; i < shape.elems(); ++i) {
      x.push_back(std::sin(0.7f * static_cast<float>(i)) + 2);
    }
    ExpectSameAtAllLevels(Bytes(), {MakeTensor<float>(shape, x)}, {1e-4, 1e-5});
    const Rewritten rewritten = RewriteBytes(Bytes());
    EXPECT_EQ(rewritten.Count("ReduceMean") == 0, rewritten.Count("InstanceNormalization") == 1);
    return rewritten.Count("ReduceMean");
  }
};

TEST(FuseInstanceNorm, StatisticsOfTheOwnInput) { EXPECT_EQ(RowNorm().Means(), 0u); }

TEST(FuseInstanceNorm, NotByOtherStatistics) {
  EXPECT_EQ((RowNorm{.count = 5}).Means(), 1u);
  EXPECT_EQ((RowNorm{.centred_by_mean = false}).Means(), 1u);
  // Statistics of a batch are not those of its images.
  EXPECT_EQ((RowNorm{.batch = 2, .count = 8}).Means(), 1u);
}

}  // namespace
}  // namespace waybill::test
