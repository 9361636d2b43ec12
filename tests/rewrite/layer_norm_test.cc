// Layer normalisations that are written out: over any one axis, by division or by a factor.
#include <cmath>

#include "tests/rewrite/rewrite_case.h"

namespace waybill::test {
namespace {

using graph::RewriteLevel;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using Dims = std::vector<int64_t>;

constexpr RewriteSettings kFused{RewriteLevel::kExtended};
constexpr std::string_view kNorm = "LayerNormalization";

std::vector<float> Wave(const Dims& dims, float step) {
  const auto count = static_cast<size_t>(Shape(dims).elems());
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i) out.push_back(std::sin(step * static_cast<float>(i + 1)));
  return out;
}

// `x` normalized over `axis`; what differs from a layer normalization is set by the tests.
struct Chain {
  Dims x = {2, 3, 4};
  int64_t axis = 1, second_axis = 1;
  Dims scale = {3, 1}, bias = {3, 1};  // {}: none
  int64_t keepdims = 1;
  bool between_convs = false;
  // Bits: products and sums whose operands are the other way round.
  unsigned swapped = 0;

  GraphWriter& Begin(ModelWriter& m) const {
    GraphWriter& g = m.Opset("", 13).graph();
    onnx::ShapeWriter shape;
    for (const int64_t dim : x) shape.emplace_back(dim);
    g.Input("x", onnx::kFloat, shape);
    g.Initializer(TensorWriter::Scalar<float>("eps", 1e-3f));
    if (!scale.empty()) {
      g.Initializer(TensorWriter::Of<float>("gamma", scale, Wave(scale, 1.3f)));
    }
    if (!bias.empty()) g.Initializer(TensorWriter::Of<float>("beta", bias, Wave(bias, 0.4f)));
    const char* from = between_convs ? "c" : "x";
    if (between_convs) {
      g.Initializer(TensorWriter::Of<float>("w", {3, 3, 1, 1}, Wave({9}, 0.9f)));
      g.Node("Conv", {"x", "w"}, {"c"});
    }
    g.Node("ReduceMean", {from}, {"mean"}).Ints("axes", {axis}).Int("keepdims", keepdims);
    g.Node("Sub", {from, "mean"}, {"d"});
    g.Node("Mul", {"d", "d"}, {"sq"});
    g.Node("ReduceMean", {"sq"}, {"var"}).Ints("axes", {second_axis}).Int("keepdims", keepdims);
    Two(g, 0, "Add", "var", "eps", "ve");
    g.Node("Sqrt", {"ve"}, {"sd"});
    return g;
  }
  void Two(GraphWriter& g, unsigned bit, const char* op, const char* a, const char* b,
           const char* y) const {
    if ((swapped >> bit & 1) != 0) std::swap(a, b);
    g.Node(op, {a, b}, {y});
  }

  std::string ByDivision() const {
    ModelWriter m;
    GraphWriter& g = Begin(m);
    g.Node("Div", {"d", "sd"}, {scale.empty() ? "y" : "n"});
    if (!scale.empty()) Two(g, 1, "Mul", "n", "gamma", bias.empty() ? "y" : "s");
    if (!bias.empty()) Two(g, 2, "Add", "s", "beta", "y");
    if (between_convs) g.Node("Conv", {"y", "w"}, {"z"});
    g.Output(between_convs ? "z" : "y");
    return m.bytes();
  }

  std::string ByFactor(const char* factor_of_mean = "m") const {
    ModelWriter m;
    GraphWriter& g = Begin(m);
    g.Node("Reciprocal", {"sd"}, {"r"});
    Two(g, 1, "Mul", "r", "gamma", "m");
    g.Node("Identity", {"sd"}, {"other"});
    Two(g, 2, "Mul", "mean", factor_of_mean, "mm");
    g.Node("Sub", {"beta", "mm"}, {"shift"});
    Two(g, 3, "Mul", "x", "m", "scaled");
    Two(g, 4, "Add", "scaled", "shift", "y");
    g.Output("y");
    return m.bytes();
  }

  // The rewritten model, which gives what the written one does.
  Rewritten Same(const std::string& bytes) const {
    ExpectSameAtAllLevels(bytes, {MakeTensor<float>(Shape(x), Wave(x, 0.7f))}, {1e-4, 1e-5});
    return RewriteBytes(bytes, kFused);
  }
  void BecomesOneNode(const std::string& bytes, std::string_view domain, int64_t axis_there) const {
    const Rewritten rewritten = Same(bytes);
    ASSERT_EQ(rewritten.Count(), 1u);
    const graph::Node& norm = rewritten.model.main.node(rewritten.model.main.order()[0]);
    EXPECT_TRUE(norm.Is(kNorm, domain));
    EXPECT_EQ(norm.attrs.Int("axis"), axis_there);
  }
};

TEST(LayerNormChain, OverAnyAxis) {
  for (const int64_t axis : {1, -2}) {
    for (const Dims& scale : {Dims{}, Dims{3, 1}, Dims{1, 3, 1}}) {
      for (const Dims& bias : {Dims{}, Dims{3, 1}}) {
        if (scale.empty() && !bias.empty()) continue;
        const Chain chain{.axis = axis, .second_axis = 1, .scale = scale, .bias = bias};
        chain.BecomesOneNode(chain.ByDivision(), graph::kInternalDomain, 1);
      }
    }
  }
  const Chain first{.axis = 0, .second_axis = 0, .scale = {2, 1, 1}, .bias = {2, 1, 1}};
  first.BecomesOneNode(first.ByDivision(), graph::kInternalDomain, 0);
  const Chain last{.axis = 2, .second_axis = 2, .scale = {1, 1, 4}, .bias = {4}};
  last.BecomesOneNode(last.ByDivision(), graph::kInternalDomain, 2);
}

TEST(LayerNormChain, ByAFactorInAnyOrder) {
  for (unsigned swapped = 0; swapped < 32; ++swapped) {
    const Chain chain{.swapped = swapped};
    chain.BecomesOneNode(chain.ByFactor(), graph::kInternalDomain, 1);
    if (HasFailure()) FAIL() << swapped;
  }
  const Chain last{.axis = 2, .second_axis = -1, .scale = {4}, .bias = {4}};
  last.BecomesOneNode(last.ByFactor(), "", -1);
}

// Where places and numbers do not correspond, the numbers stay apart, or all does.
TEST(LayerNormChain, ScalesOfOtherAxesAreNotTaken) {
  Chain chain{.x = {2, 4, 4}};
  for (const Dims& other : {Dims{4}, Dims{1, 1, 4}, Dims{2, 1, 1}, Dims{1}, Dims{1, 1, 4, 1}}) {
    chain.scale = other;
    chain.bias = {};
    const Rewritten divided = chain.Same(chain.ByDivision());
    EXPECT_EQ(divided.Count(kNorm), 1u);
    EXPECT_EQ(divided.Count(), 2u);
    chain.bias = {4, 1};
    EXPECT_EQ(chain.Same(chain.ByFactor()).Count(kNorm), 0u);
    chain.scale = {4, 1};
    chain.bias = other;
    EXPECT_EQ(chain.Same(chain.ByFactor()).Count(kNorm), 0u);
  }
}

TEST(LayerNormChain, NotWhenAPartIsSomethingElse) {
  Chain chain{.x = {3, 3, 3}};
  chain.second_axis = 2;
  EXPECT_EQ(chain.Same(chain.ByDivision()).Count(kNorm), 0u);
  EXPECT_EQ(chain.Same(chain.ByFactor()).Count(kNorm), 0u);
  chain.second_axis = 1;
  EXPECT_EQ(chain.Same(chain.ByFactor("other")).Count(kNorm), 0u);
  EXPECT_EQ(chain.Same(chain.ByFactor("r")).Count(kNorm), 0u);
  chain.keepdims = 0;
  EXPECT_EQ(chain.Same(chain.ByDivision()).Count(kNorm), 0u);
}

TEST(LayerNormChain, BetweenConvolutionsChannelsStayLast) {
  const Chain chain{
      .x = {1, 3, 5, 4}, .scale = {3, 1, 1}, .bias = {1, 3, 1, 1}, .between_convs = true};
  chain.Same(chain.ByDivision());
  const Rewritten rewritten = RewriteBytes(chain.ByDivision());
  EXPECT_EQ(rewritten.Count("Transpose"), 2u);
  EXPECT_EQ(rewritten.Count("Conv"), 2u);
  EXPECT_EQ(rewritten.Count(kNorm), 1u);
  for (const graph::NodeId id : rewritten.model.main.order()) {
    const graph::Node& node = rewritten.model.main.node(id);
    EXPECT_EQ(node.attrs.Int("axis", 3), 3) << node.Describe();
  }
}

}  // namespace
}  // namespace waybill::test
