#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "cpu/testing/twin_case.h"

namespace waybill::cpu {
namespace {

// Random trees over `features` columns, every leaf with weights for some of `targets`.
struct RandomForest {
  std::vector<int64_t> tree_ids, node_ids, features, if_true, if_false, missing;
  std::vector<float> values;
  std::vector<std::string> modes;
  std::vector<int64_t> w_trees, w_nodes, w_ids;
  std::vector<float> weights;

  RandomForest(std::vector<std::string> kinds, int trees, int64_t columns, int64_t targets,
               bool any_missing, uint32_t seed)
      : random_(seed),
        kinds_(std::move(kinds)),
        columns_(columns),
        targets_(targets),
        any_missing_(any_missing) {
    for (int tree = 0; tree < trees; ++tree) {
      next_ = 0;
      Grow(tree, static_cast<int>(random_() % 7));
    }
  }

  TwinCase Case(const std::string& op, const std::string& prefix, Tensor x,
                std::vector<DType> outputs) const {
    TwinCase c{op, 1, {std::move(x)}, std::move(outputs)};
    c.domain = "ai.onnx.ml";
    c.Ints("nodes_treeids", tree_ids).Ints("nodes_nodeids", node_ids);
    c.Ints("nodes_featureids", features).Ints("nodes_truenodeids", if_true);
    c.Ints("nodes_falsenodeids", if_false).Ints("nodes_missing_value_tracks_true", missing);
    c.attrs.Set("nodes_values", values);
    c.attrs.Set("nodes_modes", modes);
    c.Ints(prefix + "_treeids", w_trees).Ints(prefix + "_nodeids", w_nodes);
    c.Ints(prefix + "_ids", w_ids);
    c.attrs.Set(prefix + "_weights", weights);
    return c;
  }

 private:
  int64_t Grow(int64_t tree, int depth) {
    const int64_t id = next_++;
    const size_t at = tree_ids.size();
    tree_ids.push_back(tree);
    node_ids.push_back(id);
    const bool leaf = depth == 0 || random_() % 6 == 0;
    features.push_back(leaf ? 0
                            : static_cast<int64_t>(random_() % static_cast<uint32_t>(columns_)));
    values.push_back(static_cast<float>(random_() % 9) / 4 - 1);
    modes.push_back(leaf ? "LEAF" : kinds_[random_() % kinds_.size()]);
    missing.push_back(any_missing_ ? static_cast<int64_t>(random_() % 2) : 0);
    if_true.push_back(0);
    if_false.push_back(0);
    if (leaf) {
      for (int64_t t = 0; t < targets_; ++t) {
        if (random_() % 4 == 0) continue;
        w_trees.push_back(tree);
        w_nodes.push_back(id);
        w_ids.push_back(t);
        weights.push_back(static_cast<float>(random_() % 1000) / 333 - 1);
      }
      return id;
    }
    if_true[at] = Grow(tree, depth - 1);
    if_false[at] = Grow(tree, depth - 1);
    return id;
  }

  std::mt19937 random_;
  std::vector<std::string> kinds_;
  int64_t columns_, targets_;
  bool any_missing_;
  int64_t next_ = 0;
};

// Values that meet thresholds, with NaN and infinities among them.
Tensor Rows(int64_t rows, int64_t columns) {
  Tensor x = TestTensor(DType::kF32, {rows, columns});
  std::mt19937 random(5);
  for (float& v : x.span<float>()) {
    v = static_cast<float>(random() % 13) / 4 - 1.5f;
    if (random() % 20 == 0) v = std::numeric_limits<float>::quiet_NaN();
    if (random() % 20 == 0) v = -std::numeric_limits<float>::infinity();
  }
  return x;
}

const std::vector<std::vector<std::string>> kModes = {
    {"BRANCH_LEQ"},
    {"BRANCH_LT"},
    {"BRANCH_GTE"},
    {"BRANCH_GT"},
    {"BRANCH_EQ"},
    {"BRANCH_NEQ"},
    {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}};

TEST(TreeEnsemble, ClassifierOfEveryMode) {
  for (const auto& modes : kModes) {
    for (const int64_t rows : {0, 1, 8, 21}) {
      for (const int64_t classes : {1, 2, 3}) {
        for (const bool missing : {false, true}) {
          const RandomForest forest(modes, 11, 4, classes, missing, 3);
          std::vector<int64_t> labels(static_cast<size_t>(classes));
          for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int64_t>(i * 10);
          forest.Case("TreeEnsembleClassifier", "class", Rows(rows, 4), {DType::kI64, DType::kF32})
              .Ints("classlabels_int64s", labels)
              .Expect("tree_ensemble_classifier.flat");
        }
      }
    }
  }
}

TEST(TreeEnsemble, ClassifierLabelsAndTransforms) {
  const RandomForest forest({"BRANCH_LEQ"}, 30, 4, 3, false, 9);
  for (const char* post : {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}) {
    TwinCase c =
        forest.Case("TreeEnsembleClassifier", "class", Rows(19, 4), {DType::kString, DType::kF32});
    c.Text("post_transform", post)
        .attrs.Set("classlabels_strings", std::vector<std::string>{"a", "b", "c"});
    c.attrs.Set("base_values", std::vector<float>{0.5f, -1, 2});
    c.Expect("tree_ensemble_classifier.flat");
    // One class speaks for two.
    RandomForest one({"BRANCH_LEQ"}, 5, 4, 1, false, 9);
    for (int64_t& id : one.w_ids) id = 1;
    one.Case("TreeEnsembleClassifier", "class", Rows(19, 4), {DType::kI64, DType::kF32})
        .Text("post_transform", post)
        .Ints("classlabels_int64s", {3, 4})
        .Expect("tree_ensemble_classifier.flat");
  }
  forest.Case("TreeEnsembleClassifier", "class", Rows(3, 2), {DType::kI64, DType::kF32})
      .Ints("classlabels_int64s", {3, 4, 5})
      .Expect("tree_ensemble_classifier.flat");
}

TEST(TreeEnsemble, RegressorOfEveryAggregate) {
  for (const auto& modes : kModes) {
    for (const char* aggregate : {"SUM", "AVERAGE", "MIN", "MAX"}) {
      for (const int trees : {0, 1, 7, 8, 9, 40}) {
        const RandomForest forest(modes, trees, 3, 2, false, 4);
        TwinCase c = forest.Case("TreeEnsembleRegressor", "target", Rows(13, 3), {DType::kF32});
        c.Text("aggregate_function", aggregate).Int("n_targets", 2);
        c.Expect("tree_ensemble_regressor.flat");
        c.attrs.Set("base_values", std::vector<float>{1, 2});
        c.Expect("tree_ensemble_regressor.flat");
      }
    }
  }
}

TEST(TreeEnsemble, NoColumns) {
  TwinCase c{"TreeEnsembleRegressor", 1, {TestTensor(DType::kF32, {3, 0})}, {DType::kF32}};
  c.domain = "ai.onnx.ml";
  for (const char* name :
       {"nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids",
        "nodes_falsenodeids", "target_treeids", "target_nodeids", "target_ids"}) {
    c.Ints(name, {0});
  }
  c.attrs.Set("nodes_values", std::vector<float>{0});
  c.attrs.Set("nodes_modes", std::vector<std::string>{"LEAF"});
  c.attrs.Set("target_weights", std::vector<float>{2});
  c.Int("n_targets", 1).Expect("tree_ensemble_regressor.flat");
}

TEST(TreeEnsemble, ManyRows) {
  const RandomForest forest({"BRANCH_LEQ"}, 30, 4, 3, false, 3);
  forest.Case("TreeEnsembleClassifier", "class", Rows(1000, 4), {DType::kI64, DType::kF32})
      .Ints("classlabels_int64s", {1, 2, 3})
      .Expect("tree_ensemble_classifier.flat");
}

TEST(TreeEnsemble, ThresholdsBeyondFloat) {
  const RandomForest forest({"BRANCH_LEQ"}, 5, 3, 1, false, 4);
  TwinCase c = forest.Case("TreeEnsembleRegressor", "target", Rows(13, 3), {DType::kF32});
  c.version = 3;
  c.attrs.Set("nodes_values", std::vector<float>{});
  std::vector<double> wide(forest.values.begin(), forest.values.end());
  for (double& v : wide) v += 1e-12;
  c.attrs.Set("nodes_values_as_tensor",
              TestTensorOf<double>({static_cast<int64_t>(wide.size())}, wide));
  c.Expect("tree_ensemble_regressor.flat");
}

}  // namespace
}  // namespace waybill::cpu
