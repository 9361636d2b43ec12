#include <cmath>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr const char* kMl = "ai.onnx.ml";
using Names = std::vector<std::string>;

// One tree: x <= 1 ? leaf 1 : leaf 2.
OpCase& Stump(OpCase& c, const std::string& prefix) {
  return c.Ints("nodes_treeids", {0, 0, 0})
      .Ints("nodes_nodeids", {0, 1, 2})
      .Ints("nodes_featureids", {0, 0, 0})
      .Floats("nodes_values", {1, 0, 0})
      .Attr("nodes_modes", Names{"BRANCH_LEQ", "LEAF", "LEAF"})
      .Ints("nodes_truenodeids", {1, 0, 0})
      .Ints("nodes_falsenodeids", {2, 0, 0})
      .Ints(prefix + "_treeids", {0, 0})
      .Ints(prefix + "_nodeids", {1, 2});
}

TEST(TreeEnsembleTest, RegressorAddsBaseValues) {
  OpCase c("TreeEnsembleRegressor", 1, kMl);
  Stump(c, "target")
      .In<float>({2, 1}, {1, 2})
      .Ints("target_ids", {0, 0})
      .Floats("target_weights", {10, 20})
      .Floats("base_values", {0.5})
      .Attr("n_targets", 1)
      .Expect<float>({2, 1}, {10.5, 20.5})
      .Run();
}

TEST(TreeEnsembleTest, ClassifierWithScoresOfBothClasses) {
  OpCase c("TreeEnsembleClassifier", 1, kMl);
  Stump(c, "class")
      .In<double>({2, 1}, {0, 3})
      .Ints("class_ids", {0, 1})
      .Floats("class_weights", {0.75, 0.5})
      .Attr("classlabels_strings", Names{"a", "b"})
      .Expect<std::string>({2}, {"a", "b"})
      .Expect<float>({2, 2}, {0.75, 0, 0, 0.5})
      .Run();
}

TEST(TreeEnsembleTest, ClassifierWithScoresOfOneClass) {
  OpCase c("TreeEnsembleClassifier", 3, kMl);
  Stump(c, "class")
      .In<float>({2, 1}, {0, 3})
      .Ints("class_ids", {1, 1})
      .Floats("class_weights", {0.25, 0.75})
      .Ints("classlabels_int64s", {5, 6})
      .Expect<int64_t>({2}, {5, 6})
      .Expect<float>({2, 2}, {0.75, 0.25, 0.25, 0.75})
      .Run();
}

TEST(TreeEnsembleTest, HostileTreesAreRefused) {
  OpCase cycle("TreeEnsembleRegressor", 1, kMl);
  cycle.In<float>({1, 1}, {1})
      .Ints("nodes_treeids", {0, 0})
      .Ints("nodes_nodeids", {0, 1})
      .Ints("nodes_featureids", {0, 0})
      .Floats("nodes_values", {1, 1})
      .Attr("nodes_modes", Names{"BRANCH_LEQ", "BRANCH_LEQ"})
      .Ints("nodes_truenodeids", {1, 0})
      .Ints("nodes_falsenodeids", {1, 0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "no root");
  // A node that is its own child, beside a lone leaf that looks like the root.
  OpCase own_child("TreeEnsembleRegressor", 1, kMl);
  own_child.In<float>({1, 1}, {1})
      .Ints("nodes_treeids", {0, 0})
      .Ints("nodes_nodeids", {0, 1})
      .Ints("nodes_featureids", {0, 0})
      .Floats("nodes_values", {1, 0})
      .Attr("nodes_modes", Names{"BRANCH_LEQ", "LEAF"})
      .Ints("nodes_truenodeids", {0, 0})
      .Ints("nodes_falsenodeids", {0, 0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "node 0 is not reached");
  OpCase shared("TreeEnsembleRegressor", 1, kMl);
  Stump(shared, "target")
      .In<float>({1, 1}, {1})
      .Ints("nodes_falsenodeids", {1, 0, 0})
      .Ints("target_ids", {0, 0})
      .Floats("target_weights", {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "two roots");
  OpCase missing("TreeEnsembleRegressor", 1, kMl);
  Stump(missing, "target")
      .In<float>({1, 1}, {1})
      .Ints("nodes_falsenodeids", {7, 0, 0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "no node 7");
  OpCase narrow("TreeEnsembleRegressor", 1, kMl);
  Stump(narrow, "target")
      .In<float>({1, 1}, {1})
      .Ints("nodes_featureids", {3, 0, 0})
      .Ints("target_ids", {0, 0})
      .Floats("target_weights", {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "column 3");
}

TEST(TreeEnsembleTest, NodesThatNoRootReachesAreRefused) {
  const auto run = [](std::vector<int64_t> if_true) {
    OpCase c("TreeEnsemble", 5, kMl);
    c.In<float>({1, 1}, {1})
        .Ints("tree_roots", {0})
        .Ints("nodes_featureids", {0, 0})
        .Ints("nodes_truenodeids", std::move(if_true))
        .Ints("nodes_falsenodeids", {0, 1})
        .Ints("nodes_trueleafs", {1, 0})
        .Ints("nodes_falseleafs", {1, 1})
        .Attr("nodes_modes", MakeCaseTensor<uint8_t>({2}, {0, 0}))
        .Attr("nodes_splits", MakeCaseTensor<float>({2}, {1, 1}))
        .Ints("leaf_targetids", {0, 0})
        .Attr("leaf_weights", MakeCaseTensor<float>({2}, {1, 2}))
        .Out(DType::kF32)
        .Fails(Code::kInvalidArgument, "node 1 is not reached");
  };
  run({0, 1});  // its own child
  run({0, 0});  // a tree above the root
}

TEST(ZipMapTest, OneMapARow) {
  const auto out =
      OpCase("ZipMap", 1, kMl)
          .In<float>({2, 2}, {1, 2, 3, 4})
          .Ints("classlabels_int64s", {7, 8})
          .Out(ValueType::Sequence(ValueType::Map(DType::kI64, ValueType::Tensor(DType::kF32))))
          .Outputs();
  ASSERT_EQ(out.size(), 1u);
  const SequenceValue* sequence = out[0].sequence();
  ASSERT_NE(sequence, nullptr);
  ASSERT_EQ(sequence->items.size(), 2u);
  const MapValue* map = sequence->items[1].map();
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->keys.span<int64_t>()[1], 8);
  EXPECT_EQ(map->values->tensor()->span<float>()[1], 4.0f);
}

TEST(LabelEncoderTest, VersionsOneAndTwo) {
  OpCase("LabelEncoder", 1, kMl)
      .In<std::string>({2}, {"b", "x"})
      .Attr("classes_strings", Names{"a", "b"})
      .Expect<int64_t>({2}, {1, -1})
      .Run();
  OpCase("LabelEncoder", 2, kMl)
      .In<int64_t>({1, 2}, {1, 9})
      .Ints("keys_int64s", {1, 2})
      .Attr("values_strings", Names{"one", "two"})
      .Expect<std::string>({1, 2}, {"one", "_Unused"})
      .Run();
  OpCase("LabelEncoder", 2, kMl)
      .In<float>({2}, {std::nanf(""), 1})
      .Floats("keys_floats", {std::nanf(""), 2})
      .Floats("values_floats", {5, 6})
      .Attr("default_float", 0.5f)
      .Expect<float>({2}, {5, 0.5})
      .Run();
}

TEST(FeatureTest, PicksJoinsAndExpands) {
  OpCase("ArrayFeatureExtractor", 1, kMl)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .In<int64_t>({2}, {2, 0})
      .Expect<float>({2, 2}, {3, 1, 6, 4})
      .Run();
  OpCase("ArrayFeatureExtractor", 1, kMl)
      .In<float>({1, 1}, {1})
      .In<int64_t>({1}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "index 1");
  OpCase("FeatureVectorizer", 1, kMl)
      .In<int64_t>({2, 1}, {1, 2})
      .In<int64_t>({2, 2}, {3, 4, 5, 6})
      .Ints("inputdimensions", {1, 2})
      .Expect<float>({2, 3}, {1, 3, 4, 2, 5, 6})
      .Run();
  OpCase("OneHotEncoder", 1, kMl)
      .In<std::string>({2}, {"b", "z"})
      .Attr("cats_strings", Names{"a", "b"})
      .Expect<float>({2, 2}, {0, 1, 0, 0})
      .Run();
}

TEST(ColumnTest, SimpleTransformations) {
  OpCase("Binarizer", 1, kMl)
      .In<float>({1, 2}, {1, 2})
      .Attr("threshold", 1.0f)
      .Expect<float>({1, 2}, {0, 1})
      .Run();
  OpCase("Scaler", 1, kMl)
      .In<int32_t>({1, 2}, {3, 5})
      .Floats("offset", {1, 1})
      .Floats("scale", {2, 3})
      .Expect<float>({1, 2}, {4, 12})
      .Run();
  OpCase("Imputer", 1, kMl)
      .In<float>({1, 2}, {std::nanf(""), 5})
      .Floats("imputed_value_floats", {1, 2})
      .Attr("replaced_value_float", std::nanf(""))
      .Expect<float>({1, 2}, {1, 5})
      .Run();
  OpCase("Normalizer", 1, kMl)
      .In<float>({1, 2}, {-3, 4})
      .Attr("norm", "L2")
      .Expect<float>({1, 2}, {-0.6, 0.8})
      .Run();
}

TEST(LinearTest, RegressorAndClassifier) {
  OpCase("LinearRegressor", 1, kMl)
      .In<float>({1, 2}, {1, 2})
      .Floats("coefficients", {1, 1, 2, 0})
      .Floats("intercepts", {0, 1})
      .Attr("targets", 2)
      .Expect<float>({1, 2}, {3, 3})
      .Run();
  OpCase("LinearClassifier", 1, kMl)
      .In<float>({1, 2}, {1, 2})
      .Floats("coefficients", {1, 0, 0, 1})
      .Floats("intercepts", {0, 0})
      .Ints("classlabels_ints", {3, 4})
      .Attr("post_transform", "SOFTMAX")
      .Expect<int64_t>({1}, {4})
      .Expect<float>({1, 2}, {0.26894142, 0.73105858})
      .Run();
}

TEST(SvmRegressorTest, RbfKernel) {
  OpCase("SVMRegressor", 1, kMl)
      .In<float>({1, 1}, {1})
      .Floats("coefficients", {2})
      .Floats("support_vectors", {2})
      .Floats("rho", {0.5})
      .Floats("kernel_params", {1, 0, 3})
      .Attr("kernel_type", "RBF")
      .Attr("n_supports", 1)
      .Expect<float>({1, 1}, {2 * std::exp(-1.0f) + 0.5f})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
